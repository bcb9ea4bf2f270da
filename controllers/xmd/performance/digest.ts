import { hash } from 'node:crypto';
import { encodeJsonValue } from '@telorun/sdk';
import { isJsonValue } from '../admission/shape.ts';
import { canonicalJson } from '../values/canonical-json.ts';

/**
 * What identifies a value whatever order its members come back in: SHA-256 of its canonical JSON, base64url. An integer
 * that a journal kept as BigInt counts as its tag. Pure.
 */
export function digestOf(value: unknown): string {
  return hash('sha256', spellingOf(value), 'base64url');
}

/** UTF-8 bytes of the canonical JSON of a value. Pure. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(spellingOf(value));
}

function spellingOf(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value);
  }
  const plain = encodeJsonValue(value);
  if (!isJsonValue(plain)) {
    throw new TypeError('A journal answers plain values');
  }
  return canonicalJson(plain);
}
