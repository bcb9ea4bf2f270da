import { randomBytes } from 'node:crypto';
import { Digests } from './chain.ts';
import type { SqlDatabase } from './driver.ts';
import { corruptError, keyError } from './errors.ts';
import { textOf } from './values.ts';

const KEY_CHARACTERS_MIN = 16;
const IDENTITY_BYTES = 16;

/** The digests of a new journal; what proves its key goes with it. Effect: writes into the open transaction. */
export function createIdentity(database: SqlDatabase, key: string | undefined): Digests {
  const identity = randomBytes(IDENTITY_BYTES).toString('base64url');
  const digests = new Digests(identity, key);
  database
    .prepare('INSERT INTO journal (id, identity, proof) VALUES (1, :identity, :proof)')
    .run({ identity, proof: proofOf(digests) });
  return digests;
}

/**
 * The digests of a journal, once its key is the one it was made with. Pure, beside reading.
 *
 * @throws InvokeError ERR_DURABLE_JOURNAL_KEY, ERR_DURABLE_JOURNAL_CORRUPT
 */
export function readIdentity(database: SqlDatabase, file: string, key: string | undefined): Digests {
  const row = database.prepare('SELECT identity, proof FROM journal').get();
  if (row === undefined) throw corruptError({ file }, 'it has lost its identity');
  const identity = textOf(row, 'identity');
  const digests = new Digests(identity, key);
  const proof = textOf(row, 'proof');
  if (proofOf(digests) === proof) return digests;
  if (key === undefined) throw keyError({ file }, 'keyed');
  throw keyError({ file }, proofOf(new Digests(identity, undefined)) === proof ? 'unkeyed' : 'other-key');
}

/** Pure. @throws InvokeError ERR_DURABLE_JOURNAL_KEY for a key that could be guessed */
export function assertKey(key: string | undefined, file: string): void {
  if (key !== undefined && key.length < KEY_CHARACTERS_MIN) throw keyError({ file }, 'too-short');
}

function proofOf(digests: Digests): string {
  return digests.seal(['proof']);
}
