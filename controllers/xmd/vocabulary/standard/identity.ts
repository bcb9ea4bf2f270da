import type { Identity } from '../operation.ts';

/** The identity of a standard operation: what it does is part of this module. Pure. */
export function standardIdentity(key: string): Identity {
  return Object.freeze({ kind: 'standard', origin: 'Xmd', key, revision: '1' });
}
