import type { ParseResult } from '@marcbachmann/cel-js';
import { Expression } from '../manifest/tagged.ts';
import type { Position } from '../manifest/model.ts';
import { assertResult, budgeted } from './budget.ts';
import { celEnvironment, plainResult } from './environment.ts';
import { expressionFailure, summaryOf } from './failure.ts';
import { installBudget } from './instrument.ts';
import { chainOf, forbiddenKey, installGuards, readsOf, tooDeep } from './tree.ts';

/** Operators, calls and members inside one another: what the engine walks by calling itself. */
const MAX_DEPTH = 500;

type Scope = Readonly<Record<string, unknown>>;

/** What a CEL text that does not parse raises. `offset` is where, in UTF-16 units from the start of the expression. */
export class CelSyntaxError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number, cause?: unknown) {
    super(message, { cause });
    this.offset = offset;
  }
}

/** One whole-scalar expression: parsed once, evaluated any number of times. */
class CelExpression extends Expression {
  readonly source: string;
  readonly position: Position;
  readonly form = 'cel';
  override readonly reads: readonly (readonly string[])[];
  readonly roots: ReadonlySet<string>;
  readonly #program: ParseResult;
  readonly #names: readonly string[];
  readonly #passes: boolean;

  constructor(source: string, position: Position, program: ParseResult) {
    super();
    this.source = source;
    this.position = position;
    this.#program = program;
    this.#passes = chainOf(program.ast) !== undefined;
    this.reads = readsOf(program.ast, celEnvironment());
    this.#names = [...new Set(this.reads.flatMap((read) => read.slice(0, 1)))];
    this.roots = new Set(this.#names);
  }

  override fault(): string | undefined {
    const checked = this.#program.check();
    return checked.valid ? undefined : summaryOf(checked.error);
  }

  #answer(activation: Scope): unknown {
    const result = plainResult(this.#program(activation));
    // A plain chain answers a value that was there before: its size is not of the expression's making.
    if (!this.#passes) assertResult(result);
    return result;
  }

  evaluate(scope: Scope): unknown {
    const activation: Record<string, unknown> = Object.create(null);
    for (const name of this.#names) if (Object.hasOwn(scope, name)) activation[name] = scope[name];
    try {
      return budgeted(() => this.#answer(activation));
    } catch (error) {
      throw expressionFailure(this, scope, error);
    }
  }
}

/** A string in which `${{ }}` parts are replaced: concatenated, or typed when one part is the whole string. */
class TemplateExpression extends Expression {
  readonly source: string;
  readonly position: Position;
  readonly form = 'template';
  override readonly reads: readonly (readonly string[])[];
  readonly roots: ReadonlySet<string>;
  readonly #parts: readonly (string | Expression)[];

  constructor(source: string, position: Position, parts: readonly (string | Expression)[]) {
    super();
    this.source = source;
    this.position = position;
    this.#parts = parts;
    this.reads = parts.flatMap((part) => (typeof part === 'string' ? [] : part.reads));
    this.roots = new Set(this.reads.flatMap((read) => read.slice(0, 1)));
  }

  override fault(): string | undefined {
    for (const part of this.#parts) {
      const found = typeof part === 'string' ? undefined : part.fault();
      if (found !== undefined) return found;
    }
    return undefined;
  }

  evaluate(scope: Scope): unknown {
    const [first] = this.#parts;
    if (this.#parts.length === 1 && first !== undefined && typeof first !== 'string') return first.evaluate(scope);
    return this.#parts.map((part) => (typeof part === 'string' ? part : textOf(part.evaluate(scope)))).join('');
  }
}

/**
 * Parses a CEL expression. The position is where it stands in the manifest. Pure.
 * @throws CelSyntaxError when the text is no CEL expression or names something no expression may name.
 * @see kernel-specs/cel.md 1
 */
export function compileCel(source: string, position: Position): Expression {
  return new CelExpression(source, position, parse(source));
}

/**
 * Reads a string with `${{ }}` parts. Pure.
 * @throws CelSyntaxError when a part is not closed or does not parse.
 * @see kernel-specs/cel.md 2
 */
export function compileTemplate(source: string, position: Position): Expression {
  const parts: (string | Expression)[] = [];
  let at = 0;
  for (;;) {
    const open = source.indexOf('${{', at);
    if (open === -1) break;
    if (open > at) parts.push(source.slice(at, open));
    const close = source.indexOf('}', open);
    if (close === -1 || source[close + 1] !== '}') {
      throw new CelSyntaxError('A ${{ }} expression is not closed, or contains a }', open);
    }
    parts.push(compilePart(source.slice(open + 3, close), open + 3, position));
    at = close + 2;
  }
  if (at < source.length) parts.push(source.slice(at));
  return new TemplateExpression(source, position, parts);
}

/** `String(value)`, and nothing for null and undefined: what a list of one joins to. */
function textOf(value: unknown): string {
  return [value].join('');
}

function compilePart(body: string, offset: number, position: Position): Expression {
  const lead = body.length - body.trimStart().length;
  try {
    return compileCel(body.trim(), position);
  } catch (error) {
    if (error instanceof CelSyntaxError) throw new CelSyntaxError(error.message, offset + lead + error.offset, error);
    throw error;
  }
}

function parse(source: string): ParseResult {
  let program: ParseResult;
  try {
    program = celEnvironment().parse(source);
  } catch (error) {
    const { summary, range } = reading(error);
    throw new CelSyntaxError(summary, range, error);
  }
  const deep = tooDeep(program.ast, MAX_DEPTH);
  if (deep !== undefined) throw new CelSyntaxError(`The expression is nested deeper than ${MAX_DEPTH}`, deep.start);
  const bad = forbiddenKey(program.ast);
  if (bad !== undefined) throw new CelSyntaxError(bad.message, bad.offset);
  installGuards(program.ast, celEnvironment());
  installBudget(program.ast);
  return program;
}

function reading(error: unknown): { summary: string; range: number } {
  if (!(error instanceof Error)) return { summary: String(error), range: 0 };
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  const range = 'range' in error ? error.range : undefined;
  const start = typeof range === 'object' && range !== null && 'start' in range ? range.start : 0;
  return { summary, range: typeof start === 'number' ? start : 0 };
}
