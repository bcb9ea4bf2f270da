import { encodeJsonValue } from '@telorun/sdk';
import { isMembers } from '../admission/shape.ts';
import type { Members } from '../admission/shape.ts';
import { narrowAllow, readAllow } from '../vocabulary/allow.ts';
import type { Grant } from '../vocabulary/operation.ts';
import { planRefused } from './problems.ts';

/** What one plan is asked for. */
export interface PlanRequest {
  readonly prompt: string;
  /** The fragment that was not accepted, and what a person says about it. */
  readonly previous?: string;
  readonly remark?: string;
  /** What earlier evaluations observed, as JSON text. */
  readonly observations?: string;
  readonly allow: readonly Grant[];
}

const KNOWN: ReadonlySet<string> = new Set(['prompt', 'previous', 'remark', 'observations', 'allow']);

/**
 * Reads what a step and its resource ask for.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_INPUT
 * @see kernel-specs/plan.md PL-01, PL-02
 */
export function readPlanRequest(inputs: unknown, stated: Members, grants: readonly Grant[]): PlanRequest {
  if (!isMembers(inputs)) {
    throw planRefused('inputs', 'its inputs are not an object', 'State inputs as names with values.');
  }
  if (!Object.keys(inputs).every((name) => KNOWN.has(name))) {
    throw planRefused('unknown-input', 'it was given an input that it does not have', `Use ${[...KNOWN].join(', ')}.`);
  }
  const prompt = readText(inputs, 'prompt');
  if (prompt === undefined || prompt.trim() === '') {
    throw planRefused('prompt', 'its prompt is empty', 'Say in prompt what is wanted.');
  }
  const previous = readText(inputs, 'previous');
  const remark = readText(inputs, 'remark');
  const observations = readObservations(inputs['observations']);
  const widest = narrowAllow(readAllow(stated['allow']), grants);
  const { allow } = inputs;
  return {
    prompt,
    allow: allow === undefined ? widest : narrowAllow(readAllow(allow), widest),
    ...(previous === undefined ? {} : { previous }),
    ...(remark === undefined ? {} : { remark }),
    ...(observations === undefined ? {} : { observations }),
  };
}

function readText(inputs: Members, name: string): string | undefined {
  const value = inputs[name];
  if (value === undefined || value === null) {
    return undefined;
  }
  if (typeof value !== 'string') {
    throw planRefused(name, `its ${name} is not a string`, `State ${name} as a string.`);
  }
  return value;
}

/** One line of JSON for each observation, so that a model sees where one ends. */
function readObservations(value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  if (!Array.isArray(value) || !value.every(isMembers)) {
    throw planRefused('observations', 'its observations are not a list of {name, value}', OBSERVATIONS_HINT);
  }
  return value
    .map(({ name, value: observed }) => JSON.stringify(encodeJsonValue({ name, value: observed })))
    .join('\n');
}

const OBSERVATIONS_HINT = 'State the observations of an evaluation as they are.';
