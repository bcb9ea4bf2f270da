import { createHash } from 'node:crypto';
import { encodeJsonValue } from '@telorun/sdk';
import { isJsonValue } from '../admission/shape.ts';
import { canonicalJson } from '../values/canonical-json.ts';

/** What identifies a value whatever order its members come back in, and how large it is. */
export interface Digest {
  /** SHA-256 of the canonical JSON, base64url. */
  readonly sha256: string;
  /** UTF-8 bytes of the canonical JSON. */
  readonly bytes: number;
}

/** Digests a value that a journal answered; an integer that it kept as BigInt counts as its tag. Pure. */
export function digestOf(value: unknown): Digest {
  const plain = typeof value === 'string' ? value : encodeJsonValue(value);
  if (!isJsonValue(plain)) {
    throw new TypeError('A journal answers plain values');
  }
  const text = canonicalJson(plain);
  return { sha256: createHash('sha256').update(text).digest('base64url'), bytes: Buffer.byteLength(text) };
}
