import { profileRefused } from '../errors.ts';

/** Size limits of one profile, all part of the policy. Bytes are UTF-8; `effectMs` is milliseconds. */
export interface Limits {
  readonly textBytes: number;
  readonly elements: number;
  readonly depth: number;
  readonly fileBytes: number;
  readonly responseBytes: number;
  readonly resultBytes: number;
  readonly effectMs: number;
}

/** What a limit is when a profile does not state it. */
export const LIMIT_DEFAULTS: Limits = {
  textBytes: 1_048_576,
  elements: 1_000,
  depth: 32,
  fileBytes: 1_048_576,
  responseBytes: 1_048_576,
  resultBytes: 8_388_608,
  effectMs: 60_000,
};

/** What a profile may state at most. */
export const LIMIT_CEILINGS: Limits = {
  textBytes: 16_777_216,
  elements: 200_000,
  depth: 256,
  fileBytes: 67_108_864,
  responseBytes: 67_108_864,
  resultBytes: 67_108_864,
  effectMs: 3_600_000,
};

/**
 * Reads the limits that a profile states; what it leaves out is the default.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE for an unknown limit, or one that is no integer from 1 to its ceiling.
 */
export function readLimits(value: unknown): Limits {
  if (value === undefined) {
    return LIMIT_DEFAULTS;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw profileRefused('limits', 'its limits are not an object', 'State limits as names with integers.');
  }
  const stated = new Map<string, unknown>(Object.entries(value));
  const limit = (name: keyof Limits): number => readLimit(name, stated);
  const limits: Limits = {
    textBytes: limit('textBytes'),
    elements: limit('elements'),
    depth: limit('depth'),
    fileBytes: limit('fileBytes'),
    responseBytes: limit('responseBytes'),
    resultBytes: limit('resultBytes'),
    effectMs: limit('effectMs'),
  };
  const [unknown] = stated.keys();
  if (unknown !== undefined) {
    const known = Object.keys(LIMIT_DEFAULTS).join(', ');
    throw profileRefused('limits', `it states the unknown limit "${unknown}"`, `Use one of ${known}.`);
  }
  return Object.freeze(limits);
}

/** Takes one limit off what is stated. */
function readLimit(name: keyof Limits, stated: Map<string, unknown>): number {
  const value = stated.get(name);
  stated.delete(name);
  if (value === undefined) {
    return LIMIT_DEFAULTS[name];
  }
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > LIMIT_CEILINGS[name]) {
    const wanted = `an integer from 1 to ${LIMIT_CEILINGS[name]}`;
    throw profileRefused('limits', `its limit ${name} is not ${wanted}`, `State ${name} as ${wanted}.`);
  }
  return value;
}
