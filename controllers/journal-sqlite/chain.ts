import { type Hash, createHash, createHmac } from 'node:crypto';

/** Characters of half a digest, 126 bits: long enough alone, and one half tells nothing of the other. */
const HALF = 21;
const TEXT_BATCH = 65_536;

/** One entry as its run's chain takes it in. `place` counts from 1. */
export interface Link {
  readonly place: number;
  readonly path: string;
  readonly kind: number;
  readonly target: string | null;
  readonly value: string | null;
}

/**
 * The digests of one journal: SHA-256, and HMAC-SHA-256 over that where a key is stated. Without a key they find
 * accidents, since anyone can compute them; with one, whoever lacks it can make none.
 */
export class Digests {
  readonly #journal: string;
  readonly #key: string | undefined;

  /** `journal` is the identity of the file, so that a run copied in from another one is found. */
  constructor(journal: string, key: string | undefined) {
    this.#journal = journal;
    this.#key = key;
  }

  /** The digest of a row, over its parts in order. Pure. */
  seal(parts: readonly (string | number | null)[]): string {
    return this.#finish(createHash('sha256').update(spell([this.#journal, ...parts]))).slice(0, HALF);
  }

  /** The chain of a run before its first entry. Pure. */
  chain(run: string): Chain {
    const state = createHash('sha256').update(spell([this.#journal, 'chain', run]));
    return new Chain({ state, place: 0, finish: (whole) => this.#finish(whole) });
  }

  #finish(state: Hash): string {
    const digest = state.digest('base64url');
    return this.#key === undefined ? digest : createHmac('sha256', this.#key).update(digest).digest('base64url');
  }
}

interface ChainState {
  readonly state: Hash;
  readonly place: number;
  /** Ends the state it is given. */
  readonly finish: (state: Hash) => string;
}

/** All entries of a run up to `place`, as the state of one running digest. Never changes. */
export class Chain {
  readonly #chain: ChainState;
  #digest: string | undefined;

  constructor(chain: ChainState) {
    this.#chain = chain;
  }

  get place(): number {
    return this.#chain.place;
  }

  /** The chain with these entries added, which is far cheaper than adding them one by one. Pure. */
  with(links: Iterable<Link>): Chain {
    const state = this.#chain.state.copy();
    let text = '';
    let last = this.place;
    for (const { place, path, kind, target, value } of links) {
      last = place;
      text += spellLink(place, path, kind, target, value);
      if (text.length < TEXT_BATCH) continue;
      state.update(text);
      text = '';
    }
    state.update(text);
    return new Chain({ ...this.#chain, state, place: last });
  }

  /** What the last entry carries once another follows it; tells which entry is damaged. Pure. */
  get mark(): string {
    return this.#whole.slice(0, HALF);
  }

  /** What the last entry carries; decides whether the run is whole. Pure. */
  get head(): string {
    return this.#whole.slice(HALF, 2 * HALF);
  }

  get #whole(): string {
    return (this.#digest ??= this.#chain.finish(this.#chain.state.copy()));
  }
}

/** `spell` of a link, without a list of its parts: one is spelled for every entry that is written or read. Pure. */
function spellLink(place: number, path: string, kind: number, target: string | null, value: string | null): string {
  const at = String(place);
  const word = String(kind);
  const targetLength = target === null ? '-' : target.length;
  const valueLength = value === null ? '-' : value.length;
  const lengths = `${at.length},${path.length},${word.length},${targetLength},${valueLength},`;
  return `${lengths}\n${at}${path}${word}${target ?? ''}${value ?? ''}`;
}

/** Parts with their lengths ahead of them, so that no two lists are spelled alike. Lengths in UTF-16 units. Pure. */
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
