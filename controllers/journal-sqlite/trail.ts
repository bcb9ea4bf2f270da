import type { Chain, Digests, Link } from './chain.ts';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';
import type { Store } from './store.ts';
import { integerOf, textOf, textOrNull } from './values.ts';

const SELECT = `SELECT id & 4294967295 AS place, path, kind, digest, target, value FROM entries
  WHERE id > (:run << 32 | :after) AND id < (:run + 1) << 32 ORDER BY id LIMIT :limit`;
const SELECT_LAST = `SELECT id & 4294967295 AS place, digest FROM entries
  WHERE id >= :run << 32 AND id < (:run + 1) << 32 ORDER BY id DESC LIMIT 1`;
const SELECT_AT = `SELECT path, kind, target, value FROM entries
  WHERE id > (:run << 32 | :after) AND id < (:run + 1) << 32 AND path = :path LIMIT 1`;
const START = 'INSERT INTO entries (id, run, path, kind, digest) VALUES (:run << 32, :run, NULL, -1, :digest)';
const FOLLOWED = 'UPDATE entries SET digest = :mark WHERE id = (:run << 32 | :place) AND digest = :head';
const ALL = -1;
const PAGE_ROWS = 1_000;

/** The run a chain belongs to: its number in the file, and its name. */
export interface RunKey {
  readonly id: number;
  readonly run: string;
}

/** An entry as it was read: a link, and what it carries. */
export interface StoredLink extends Link {
  readonly digest: string;
}

/** What an instance knows of a run's entries: the chain over all of them, and their paths, each once. */
export interface Known {
  readonly chain: Chain;
  readonly paths: Set<string>;
}

/**
 * The chains of a journal. A chain runs over the entries of a run in order, each whole and with its place. The last one
 * carries the head, which gives way to a mark of the same size once another follows: both are on one page, and where a
 * key is stated nobody else can make an earlier entry the last one again. A row at place 0 is there before the first.
 *
 * @see docs/adr/0016-digest-chain.md
 */
export class Trail {
  readonly #store: Store;
  readonly #digests: Digests;

  constructor(store: Store, digests: Digests) {
    this.#store = store;
    this.#digests = digests;
  }

  /** Inside a transaction: the chain of a run that is new. */
  start(key: RunKey): void {
    this.#store.run(START, { run: key.id, digest: this.#digests.chain(key.run).head });
  }

  /**
   * Inside a transaction: every entry of a run, as they are read, and the chain over them. What was visited counts only
   * when this returns. Throws UnreadableRecord unless they are whole.
   */
  readAll(key: RunKey, visit: (link: StoredLink) => void): Chain {
    const chain = this.#digests.chain(key.run).with(this.#links(key, visit));
    if (!this.#endsAt(key, chain)) throw this.#damage(key);
    return chain;
  }

  /** Inside a transaction: all of a run, from where `known` ends. Throws UnreadableRecord unless it is whole. */
  end(key: RunKey, known?: Known): Known {
    let chain = known?.chain ?? this.#digests.chain(key.run);
    const paths = known?.paths ?? new Set<string>();
    for (;;) {
      const links = this.#store.all(SELECT, { run: key.id, after: chain.place, limit: PAGE_ROWS }).map(linkOf);
      for (const { path } of links) paths.add(path);
      if (links.length > 0) chain = chain.with(links);
      if (links.length < PAGE_ROWS) break;
    }
    if (!this.#endsAt(key, chain)) throw this.#damage(key);
    return { chain, paths };
  }

  /** The entry at a path as it is stored. What is known to be elsewhere is not looked through again. */
  at(id: number, path: string, known?: Known): SqlRow | undefined {
    const after = known === undefined || known.paths.has(path) ? 0 : known.chain.place;
    return this.#store.get(SELECT_AT, { run: id, after, path });
  }

  /** Inside a transaction: the last entry of `chain` is the last one no more. */
  follow(key: RunKey, { place, mark, head }: Chain): void {
    if (this.#store.run(FOLLOWED, { run: key.id, place, mark, head }) !== 1) {
      throw new UnreadableRecord('the last entry of a run has changed', { seq: place });
    }
  }

  *#links(key: RunKey, visit: (link: StoredLink) => void): Generator<StoredLink> {
    for (const row of this.#store.iterate(SELECT, { run: key.id, after: 0, limit: ALL })) {
      const link = linkOf(row);
      visit(link);
      yield link;
    }
  }

  #endsAt(key: RunKey, chain: Chain): boolean {
    const last = this.#store.get(SELECT_LAST, { run: key.id });
    return last !== undefined && last['place'] === chain.place && last['digest'] === chain.head;
  }

  /** Which entry it was that does not fit, found by what each of them carries. */
  #damage(key: RunKey): UnreadableRecord {
    let chain = this.#digests.chain(key.run);
    const links = this.#store.all(SELECT, { run: key.id, after: 0, limit: ALL }).map(linkOf);
    for (const link of links) {
      const seq = chain.place + 1;
      chain = chain.with([link]);
      if (link.place !== seq || (link.digest !== chain.mark && link.digest !== chain.head)) {
        return new UnreadableRecord('an entry is not what was recorded at its place', { seq, path: link.path });
      }
    }
    return new UnreadableRecord('the last entries of a run are not those recorded', { seq: chain.place + 1 });
  }
}

function linkOf(row: SqlRow): StoredLink {
  const { place, path, kind, digest, target, value } = row;
  // Plain tests, as one is made of every row that is read; the careful way below says what is wrong with a row.
  if (
    typeof place === 'number' &&
    typeof path === 'string' &&
    typeof kind === 'number' &&
    typeof digest === 'string' &&
    (typeof target === 'string' || target === null) &&
    (typeof value === 'string' || value === null) &&
    Number.isSafeInteger(place) &&
    Number.isSafeInteger(kind)
  ) {
    return { place, path, kind, digest, target, value };
  }
  return {
    place: integerOf(row, 'place'),
    path: textOf(row, 'path'),
    kind: integerOf(row, 'kind'),
    digest: textOf(row, 'digest'),
    target: textOrNull(row, 'target'),
    value: textOrNull(row, 'value'),
  };
}
