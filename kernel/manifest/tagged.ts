import type { Position } from './model.ts';

/** A compiled expression: `!cel` or a `${{ }}` template. `expandValue` evaluates it; everything else carries it along. */
export abstract class Expression {
  abstract readonly source: string;
  abstract readonly position: Position;
  /** How it is written back: `cel` for a whole-scalar expression, `template` for a string with `${{ }}`. */
  abstract readonly form: 'cel' | 'template';
  /** Root variables it reads, for static checks. */
  abstract readonly roots: ReadonlySet<string>;
  /** Member chains it reads, each from a root: `steps.a.result` is `['steps', 'a', 'result']`. */
  readonly reads: readonly (readonly string[])[] = [];
  /** Why it can never evaluate, such as a function that does not exist; undefined when that is not known. Pure. */
  fault(): string | undefined {
    return undefined;
  }
  /** Evaluates over `scope`. @throws Error with the source and what was wrong. */
  abstract evaluate(scope: Readonly<Record<string, unknown>>): unknown;
}

/** `!ref name` or `!ref Alias.name`. `Self.` is dropped when read. */
export class Reference {
  readonly name: string;
  readonly alias: string | undefined;
  readonly position: Position;
  constructor(name: string, alias: string | undefined, position: Position) {
    this.name = name;
    this.alias = alias;
    this.position = position;
  }
  get text(): string {
    return this.alias === undefined ? this.name : `${this.alias}.${this.name}`;
  }
}
