import type { FieldPath, LoadedDocument } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Expression } from '../manifest/tagged.ts';
import { contractOf } from './contract.ts';
import { checkExpression } from './expressions.ts';
import type { ExpressionScope } from './expressions.ts';
import type { ReferenceTarget } from './references.ts';
import type { ResourceChecker, ScopedTargets } from './resource-check.ts';
import { schemaProblems } from './schema-check.ts';
import { bodiesOf, stepNames, stepProblems } from './step-grammar.ts';

type Step = Readonly<Record<string, unknown>>;

/** The retry policy of a step. */
const RETRY: Readonly<Record<string, unknown>> = {
  type: 'object',
  additionalProperties: false,
  properties: {
    attempts: { type: 'integer', minimum: 0 },
    initialDelay: { type: 'number', minimum: 0 },
    factor: { type: 'number', minimum: 1 },
    maxDelay: { type: 'number', minimum: 0 },
    jitter: { enum: ['full', 'none'] },
    delay: { type: 'string' },
    nonRetryable: { type: 'array', items: { type: 'string' } },
  },
};

/** Checks the step bodies of one resource. */
export class StepChecker {
  readonly #checker: ResourceChecker;
  readonly #document: LoadedDocument;
  /** Resources that exist only inside the body. */
  readonly #scoped: ScopedTargets;

  constructor(checker: ResourceChecker, document: LoadedDocument, scoped: ScopedTargets = new Map()) {
    this.#checker = checker;
    this.#document = document;
    this.#scoped = scoped;
  }

  /** A whole body: its steps see one another's results. Effect: on the findings. */
  body(steps: readonly unknown[], path: FieldPath, scope: ExpressionScope): void {
    this.#list(steps, path, { ...scope, steps: stepNames(steps) }, new Set());
  }

  /** One step on its own, as a boot target is. Effect: on the findings. */
  single(step: Step, path: FieldPath, scope: ExpressionScope): void {
    for (const problem of stepProblems(step, path)) this.#checker.findings.add(this.#document, problem);
    this.#step(step, path, scope, new Set());
  }

  #list(steps: readonly unknown[], path: FieldPath, scope: ExpressionScope, outer: ReadonlySet<string>): void {
    const names = new Set(outer);
    for (const [index, step] of steps.entries()) {
      const at = [...path, index];
      for (const problem of stepProblems(step, at)) this.#checker.findings.add(this.#document, problem);
      if (!isRecord(step) || typeof step['name'] !== 'string') continue;
      if (names.has(step['name'])) {
        const message = `Two steps are named ${step['name']}; their results would overwrite one another`;
        this.#checker.findings.add(this.#document, { code: 'DUPLICATE_STEP_NAME', message, path: [...at, 'name'] });
      }
      names.add(step['name']);
    }
    for (const [index, step] of steps.entries()) {
      if (isRecord(step)) this.#step(step, [...path, index], scope, names);
    }
  }

  #step(step: Step, path: FieldPath, scope: ExpressionScope, names: ReadonlySet<string>): void {
    const bodies = bodiesOf(step, path);
    for (const body of bodies) {
      if (!Array.isArray(body.steps)) continue;
      const inner = body.seesError ? { ...scope, roots: new Set([...(scope.roots ?? []), 'error']) } : scope;
      this.#list(body.steps, body.path, inner, names);
    }
    if (Object.hasOwn(step, 'invoke')) this.#invoke(step, path);
    const structural = new Set(['name', 'invoke', 'then', 'else', 'do', 'default', 'try', 'catch', 'finally', 'cases']);
    for (const [key, value] of Object.entries(step)) {
      if (!structural.has(key)) this.#expressions(value, [...path, key], scope, key === 'elseif');
    }
  }

  #invoke(step: Step, path: FieldPath): void {
    const { invoke, inputs, retry, timeout } = step;
    const at = [...path, 'invoke'];
    const slot = { kinds: ['Telo.Executable'], use: 'call' };
    const target = this.#checker.slot(this.#document, at, invoke, slot, undefined, this.#scoped);
    if (target !== undefined) this.#inputs(target, inputs, path);
    if (retry !== undefined) this.#against(RETRY, retry, [...path, 'retry'], 'SCHEMA_VIOLATION');
    const isTime = timeout instanceof Expression || (typeof timeout === 'number' && timeout > 0);
    if (timeout === undefined || isTime) return;
    const message = 'timeout must be a number of milliseconds greater than 0';
    this.#checker.findings.add(this.#document, { code: 'SCHEMA_VIOLATION', message, path: [...path, 'timeout'] });
  }

  /** Literal inputs against what the target takes; inputs that are one expression are known only at run time. */
  #inputs(target: ReferenceTarget, inputs: unknown, path: FieldPath): void {
    const schema = contractOf(target, 'inputType', this.#checker.lookup);
    if (schema === undefined || inputs instanceof Expression) return;
    const at = inputs === undefined ? path : [...path, 'inputs'];
    this.#against(schema, inputs ?? {}, at, 'CONTRACT_INPUTS_MISMATCH');
  }

  #against(schema: Readonly<Record<string, unknown>>, value: unknown, at: FieldPath, code: string): void {
    for (const problem of schemaProblems(schema, value)) {
      this.#checker.findings.add(this.#document, { ...problem, code, path: [...at, ...problem.path] });
    }
  }

  #expressions(value: unknown, path: FieldPath, scope: ExpressionScope, skipBodies: boolean): void {
    if (value instanceof Expression) {
      checkExpression(this.#checker.module, this.#document, path, value, scope, this.#checker.findings);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.#expressions(item, [...path, index], scope, skipBodies);
    } else if (isRecord(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (!(skipBodies && key === 'then')) this.#expressions(member, [...path, key], scope, skipBodies);
      }
    }
  }
}
