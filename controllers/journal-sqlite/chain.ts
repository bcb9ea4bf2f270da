import { type Hash, createHash, createHmac } from 'node:crypto';

const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** What an entry carries only says which one is damaged; what the head carries decides. */
const MARK_BYTES = 12;
const HEAD_BYTES = 16;
const UNKEYED = 'a journal without a key';

/** One entry as its run's chain takes it in. `place` counts from 1. */
export interface Link {
  readonly place: number;
  readonly path: string;
  readonly kind: number;
  readonly target: string | null;
  readonly value: string | null;
}

/**
 * The digests of one journal: HMAC-SHA-256 under its key and its identity. Without a key they find accidents, since
 * anyone can compute them; with one, whoever lacks it can make none.
 */
export class Digests {
  readonly keyed: boolean;
  readonly #inner: Hash;
  readonly #outer: Hash;

  /** `journal` is the identity of the file, so that a run copied in from another one is found. */
  constructor(journal: string, key: string | undefined) {
    this.keyed = key !== undefined;
    const secret = createHmac('sha256', key ?? UNKEYED)
      .update(journal)
      .digest();
    this.#inner = createHash('sha256').update(padded(secret, INNER_PAD));
    this.#outer = createHash('sha256').update(padded(secret, OUTER_PAD));
  }

  /** The digest of a row, over its parts in order. Pure. */
  seal(parts: readonly (string | number | null)[]): string {
    return encode(this.#finish(this.#inner.copy().update(spell(parts))), 0, HEAD_BYTES);
  }

  /** The chain of a run before its first entry. Pure. */
  chain(run: string): Chain {
    return new Chain(this.#inner.copy().update(spell(['chain', run])), (state) => this.#finish(state), 0);
  }

  #finish(inner: Hash): Buffer {
    return this.#outer.copy().update(inner.copy().digest()).digest();
  }
}

/** All entries of a run up to `place`, as the state of one running digest. Never changes. */
export class Chain {
  readonly place: number;
  readonly #state: Hash;
  readonly #finish: (state: Hash) => Buffer;
  #digest: Buffer | undefined;

  constructor(state: Hash, finish: (state: Hash) => Buffer, place: number) {
    this.#state = state;
    this.#finish = finish;
    this.place = place;
  }

  /** The chain with these entries added, which is far cheaper than adding them one by one. Pure. */
  with(links: readonly Link[]): Chain {
    const state = this.#state.copy();
    let text = '';
    for (const { place, path, kind, target, value } of links) {
      text += spell([place, path, kind, target, value]);
      if (text.length < TEXT_BATCH) continue;
      state.update(text);
      text = '';
    }
    state.update(text);
    return new Chain(state, this.#finish, links.at(-1)?.place ?? this.place);
  }

  /** What the last entry carries. Pure. */
  get mark(): string {
    return encode(this.#full, 0, MARK_BYTES);
  }

  /** What the head of the run carries: the other half, so that no entry tells what an earlier head was. Pure. */
  get head(): string {
    return encode(this.#full, HEAD_BYTES, 2 * HEAD_BYTES);
  }

  get #full(): Buffer {
    return (this.#digest ??= this.#finish(this.#state));
  }
}

const TEXT_BATCH = 65_536;

/** Parts with their lengths ahead of them, so that no two lists are spelled alike. Lengths in UTF-16 units. */
function spell(parts: readonly (string | number | null)[]): string {
  let lengths = '';
  let text = '';
  for (const part of parts) {
    const one = part === null ? '' : String(part);
    lengths += part === null ? '-,' : `${String(one.length)},`;
    text += one;
  }
  return `${lengths}\n${text}`;
}

function padded(secret: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [index, byte] of secret.entries()) block[index] = byte ^ pad;
  return block;
}

function encode(digest: Buffer, from: number, to: number): string {
  return digest.toString('base64url', from, to);
}
