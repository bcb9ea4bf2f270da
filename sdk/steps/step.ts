import { InvokeError } from '../invoke-error.ts';
import { nestedSegment, pathSegment } from '../step-path.ts';

/** One step of a body as its author wrote it. Fields may hold compiled expressions. */
export interface Step {
  readonly name: string;
  readonly invoke?: unknown;
  readonly inputs?: unknown;
  readonly when?: unknown;
  readonly retry?: unknown;
  readonly timeout?: unknown;
  readonly if?: unknown;
  readonly then?: unknown;
  readonly elseif?: unknown;
  readonly else?: unknown;
  readonly while?: unknown;
  readonly do?: unknown;
  readonly switch?: unknown;
  readonly cases?: unknown;
  readonly default?: unknown;
  readonly try?: unknown;
  readonly catch?: unknown;
  readonly finally?: unknown;
  readonly throw?: unknown;
  readonly value?: unknown;
}

/** A step with what its paths need, computed once. */
export interface NamedStep {
  readonly step: Step;
  /** Its segment directly below `steps`. */
  readonly segment: string;
  /** Its segment anywhere deeper. */
  readonly nested: string;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStep(value: unknown): value is Step {
  if (!isObject(value)) return false;
  const name = value['name'];
  return typeof name === 'string' && name !== '';
}

const read = new WeakMap<object, readonly NamedStep[]>();

function nameRequired(index: number): InvokeError {
  return new InvokeError('ERR_STEP_NAME_REQUIRED', `Cannot read step ${index}: it has no name`, {
    index,
    hint: 'Give every step a name.',
  });
}

/** Reads a body of steps; an absent one is empty. Pure, remembered per array. @throws InvokeError ERR_STEP_NAME_REQUIRED */
export function readSteps(body: unknown): readonly NamedStep[] {
  if (body === undefined || body === null) return [];
  if (!Array.isArray(body)) throw new TypeError('A body of steps is a list');
  const known = read.get(body);
  if (known !== undefined) return known;
  const steps = body.map((step: unknown, index) => {
    if (!isStep(step)) throw nameRequired(index);
    return { step, segment: pathSegment(step.name), nested: nestedSegment(step.name) };
  });
  read.set(body, steps);
  return steps;
}
