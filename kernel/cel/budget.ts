import { InvokeError } from '@telorun/sdk';

/** Steps of one evaluation: an iteration of a macro, a call or an operator, and every 16 characters they look at. */
const STEP_LIMIT = 5_000_000;
/** Instructions that the pattern searches of one evaluation follow. */
const SEARCH_LIMIT = 10_000_000;
/** UTF-16 units, bytes or items of one value that an evaluation makes. */
const SIZE_LIMIT = 64 * 1024 * 1024;
const LIST_LIMIT = 1_000_000;
/** Values in the result, counted as often as they appear in it. */
const RESULT_LIMIT = 1_000_000;
const DEPTH_LIMIT = 1_000;

interface SearchBudget {
  left: number;
  readonly onSpent: () => never;
}

/** What an evaluation may still spend, and the refusal once it has spent it. */
interface Budget {
  steps: number;
  readonly search: SearchBudget;
  /** Offset of what is being evaluated. */
  at: number | undefined;
  refusal: InvokeError | undefined;
}

/** Evaluation is synchronous: there is never more than one, and nothing of it outlives `budgeted`. */
let current: Budget | undefined;

/**
 * Runs one evaluation under a fresh budget. A spent budget refuses even where the expression itself would have held the
 * failure back: `||`, `&&`, `all` and `exists` do that.
 * @throws InvokeError ERR_CEL_LIMIT with `{limit}` and, where it is known, `offset`.
 * @see kernel-specs/cel.md C-50
 */
export function budgeted<T>(evaluate: () => T): T {
  const outer = current;
  const budget: Budget = { steps: STEP_LIMIT, search: freshSearch(), at: undefined, refusal: undefined };
  current = budget;
  try {
    const result = evaluate();
    if (budget.refusal !== undefined) throw budget.refusal;
    return result;
  } catch (error) {
    throw budget.refusal ?? error;
  } finally {
    current = outer;
  }
}

/** Takes steps off the budget. Effect: on the evaluation that runs. @throws InvokeError ERR_CEL_LIMIT when it is spent. */
export function spend(steps: number): void {
  if (current === undefined) return;
  current.steps -= steps;
  if (current.steps < 0) refuse('steps', `takes more than ${STEP_LIMIT} steps`);
}

/** Says what is evaluated next, for the place of a refusal. Effect: on the evaluation that runs. */
export function evaluating(offset: number): void {
  if (current !== undefined) current.at = offset;
}

/** What searches of this evaluation may still follow, together. */
export function searchBudget(): SearchBudget {
  return current?.search ?? freshSearch();
}

function freshSearch(): SearchBudget {
  return { left: SEARCH_LIMIT, onSpent: () => refuse('search', 'searches a text that is too long for this pattern') };
}

/** Refuses to make a text or bytes beyond the size. Pure. @throws InvokeError ERR_CEL_LIMIT */
export function assertSize(size: number): void {
  if (size > SIZE_LIMIT) refuse('size', `makes a text of more than ${SIZE_LIMIT} characters`);
}

/** Refuses to make a list beyond the length, and takes its making off the budget. @throws InvokeError ERR_CEL_LIMIT */
export function assertLength(length: number): void {
  if (length > LIST_LIMIT) refuse('length', `makes a list of more than ${LIST_LIMIT} items`);
  spend(length);
}

/** Steps for looking at a value once, without what lies inside its members. Pure. */
export function surfaceOf(value: unknown): number {
  if (typeof value === 'string') return value.length >> 4;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Uint8Array) return value.length >> 4;
  return value instanceof Map || value instanceof Set ? value.size : 0;
}

/** Walks a value as often as it would be written out, a step for each; `visit` sees each. @throws InvokeError ERR_CEL_LIMIT */
export function spendWhole(value: unknown, visit?: (one: unknown) => void): void {
  for (const one of walked(value)) {
    spend(1 + surfaceOf(one));
    visit?.(one);
  }
}

/** Refuses a result that is too large to be copied, compared or recorded. @throws InvokeError ERR_CEL_LIMIT */
export function assertResult(result: unknown): void {
  if (typeof result === 'string') assertSize(result.length);
  if (typeof result !== 'object' || result === null) return;
  let values = 0;
  let characters = 0;
  for (const one of walked(result)) {
    values += 1;
    if (typeof one === 'string') characters += one.length;
    if (values > RESULT_LIMIT) refuse('result', `answers more than ${RESULT_LIMIT} values`);
    assertSize(characters);
  }
}

function* walked(value: unknown): Generator {
  const open: Iterator<unknown>[] = [[value].values()];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    yield next.value;
    const members = membersOf(next.value);
    if (members === undefined) continue;
    open.push(members);
    if (open.length > DEPTH_LIMIT) refuse('depth', `meets a value nested deeper than ${DEPTH_LIMIT}`);
  }
}

function membersOf(value: unknown): Iterator<unknown> | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) return value.values();
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype ? Object.values(value).values() : undefined;
}

function refuse(limit: string, what: string): never {
  const at = current?.at;
  const data = { limit, ...(at === undefined ? {} : { offset: at }), hint: 'Make the expression work on less.' };
  const refusal = new InvokeError('ERR_CEL_LIMIT', `the expression ${what}`, data);
  if (current !== undefined) {
    current.refusal ??= refusal;
    current.steps = 0;
  }
  throw refusal;
}
