import { inputRefused } from './errors.ts';
import { narrowAllow, readAllow } from './vocabulary/allow.ts';
import type { Grant } from './vocabulary/operation.ts';

/** The resource's own fields, as its manifest states them: `text`, `content` and `allow` count. */
type StatedRequest = Readonly<Record<string, unknown>>;

/** What one evaluation is asked for. */
export interface EvaluationRequest {
  /** The fragment, or the steps that make it. */
  readonly text: string | ContentRequest;
  readonly allow: readonly Grant[];
  /** The digest of what a person approved, where the evaluation is to be exactly that. */
  readonly approved?: string;
}

/** The same, once its text is known. */
export type TextRequest = EvaluationRequest & { readonly text: string };

/** The paired form: steps whose last result is the text. */
export interface ContentRequest {
  readonly steps: readonly unknown[];
  /** What the steps see as `inputs`. */
  readonly inputs: unknown;
}

/** What the profile has to say about a request. */
export interface RequestCeiling {
  readonly grants: readonly Grant[];
  readonly host: 'ordinary' | 'workflow';
}

/**
 * Reads what a step and its resource ask for: exactly one text or `content`, and an allow that only narrows.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_INPUT
 * @see kernel-specs/evaluate.md EV-10
 */
export function readRequest(inputs: unknown, stated: StatedRequest, ceiling: RequestCeiling): EvaluationRequest {
  const given = readInputs(inputs);
  if (given.has('program')) {
    throw inputRefused('program', 'program is no input', 'State the text of the fragment as text.');
  }
  const texts = [...textsOf(given, ceiling), stated['text']].filter((one) => one !== undefined);
  const text = stated['content'] === undefined ? readText(texts) : readContent(stated['content'], texts, given);
  if (typeof text === 'string' && given.has('inputs')) {
    throw inputRefused('inputs', 'it was given inputs, and has no content to hand them to', 'Leave inputs out.');
  }
  const widest = narrowAllow(readAllow(stated['allow']), ceiling.grants);
  const narrowed = given.get('allow');
  return { text, allow: narrowed === undefined ? widest : narrowAllow(readAllow(narrowed), widest) };
}

const KNOWN: ReadonlySet<string> = new Set(['text', 'allow', 'inputs', 'source', 'program']);

function readInputs(inputs: unknown): ReadonlyMap<string, unknown> {
  if (inputs === undefined || inputs === null) {
    return new Map();
  }
  if (typeof inputs !== 'object' || Array.isArray(inputs)) {
    throw inputRefused('inputs', 'its inputs are not an object', 'State inputs as names with values.');
  }
  const given = new Map<string, unknown>(Object.entries(inputs).filter(([, value]) => value !== undefined));
  if ([...given.keys()].some((name) => !KNOWN.has(name))) {
    throw inputRefused('unknown-input', 'it was given an input that it does not have', 'Use text, allow and inputs.');
  }
  return given;
}

/** `source` is the old spelling of `text`, for workflow hosts only. */
function textsOf(given: ReadonlyMap<string, unknown>, { host }: RequestCeiling): readonly unknown[] {
  if (given.has('source') && host !== 'workflow') {
    throw inputRefused('source', 'source is an input of workflow profiles only', 'State the fragment as text.');
  }
  return [given.get('text'), given.get('source')];
}

function readText(texts: readonly unknown[]): string {
  const [text] = texts;
  if (texts.length !== 1) {
    const found = texts.length === 0 ? 'no text is stated' : 'its text is stated more than once';
    throw inputRefused('text', found, 'State exactly one text, in the resource or in the inputs of the step.');
  }
  if (typeof text !== 'string') {
    throw inputRefused('text', 'its text is not a string', 'State the fragment as a string.');
  }
  return text;
}

function readContent(steps: unknown, texts: readonly unknown[], given: ReadonlyMap<string, unknown>): ContentRequest {
  if (texts.length > 0) {
    throw inputRefused('text', 'it has a text beside its content', 'State either a text or content.');
  }
  if (!Array.isArray(steps) || steps.length === 0) {
    throw inputRefused('content', 'its content is no list of steps', 'State content as at least one step.');
  }
  const inputs = given.get('inputs') ?? {};
  if (typeof inputs !== 'object' || Array.isArray(inputs)) {
    throw inputRefused('inputs', 'the inputs of its content are no object', 'State inputs as names with values.');
  }
  return { steps, inputs };
}

/**
 * A request that states its text, for those who judge it and make none.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_INPUT where `content` makes the text
 */
export function withText({ text, ...request }: EvaluationRequest): TextRequest {
  if (typeof text === 'string') {
    return { ...request, text };
  }
  throw inputRefused('content', 'its text is made by content, which is not run here', 'State the text to be judged.');
}
