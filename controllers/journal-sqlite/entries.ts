import { crc32 } from 'node:zlib';
import type { DecisionKind } from '@telorun/sdk';
import type { JournalEntry } from '@telorun/sdk/journal';
import type { Claims, HeldClaim } from './claims.ts';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';
import type { Store } from './store.ts';
import { fromText, integerOf, present, textOf, textOrNull, toText } from './values.ts';

/** What the number in `entries.kind` means: 0 is a step, the others are decisions. Only ever added to. */
const KINDS: readonly (DecisionKind | 'step')[] = [
  'step',
  'inputs',
  'predicate',
  'condition',
  'collection',
  'switch',
  'value',
];

// The key of an entry is its run's number and its place in that run, so that one range holds a run in order.
const LAST_PLACE = `SELECT coalesce(max(id), 0) & 4294967295 AS place FROM entries
  WHERE id >= :run << 32 AND id < (:run + 1) << 32`;
const INSERT = `INSERT INTO entries (id, run, path, kind, sum, target, value)
  VALUES (:run << 32 | :place, :run, :path, :kind, :sum, :target, :value) ON CONFLICT DO NOTHING`;
// The common append in one statement, which is a transaction of its own: fence and lease are compared with the insertion.
// The place is the one after this owner's last; where an answer took it, nothing is inserted and the long way finds another.
const INSERT_AS_OWNER = `INSERT INTO entries (id, run, path, kind, sum, target, value)
  SELECT :run << 32 | :place, :run, :path, :kind, :sum, :target, :value FROM runs
  WHERE id = :run AND fence = :fence AND claim_until > :now
    AND NOT EXISTS (SELECT 1 FROM waits WHERE waits.run = :run AND waits.path = :path)
  ON CONFLICT DO NOTHING`;
const SELECT_ALL = `SELECT path, kind, sum, target, value FROM entries
  WHERE id >= :run << 32 AND id < (:run + 1) << 32 ORDER BY id`;
const SELECT_ONE = 'SELECT path, kind, sum, target, value FROM entries WHERE run = :run AND path = :path';
const END_WAIT = `UPDATE waits SET state = :state WHERE run = :run AND path = :path AND state = 'open'`;
const FIND_WAIT = 'SELECT state FROM waits WHERE run = :run AND path = :path';
const WAKE = `UPDATE runs SET status = 'running', due_at = NULL, updated_at = :now WHERE id = :run AND status = 'parked'`;

type EntryText = {
  readonly path: string;
  readonly kind: number;
  readonly sum: number;
  readonly target: string | null;
  readonly value: string | null;
};

export class Entries {
  readonly #store: Store;
  readonly #claims: Claims;

  constructor(store: Store, claims: Claims) {
    this.#store = store;
    this.#claims = claims;
  }

  /** Every entry of a run, in the order in which they were written: one query, one parse a row. */
  read(run: string): readonly JournalEntry[] {
    return this.#store.reading(run, () => {
      const row = this.#store.get('SELECT id FROM runs WHERE run = :run', { run });
      return row === undefined ? [] : this.#store.all(SELECT_ALL, { run: integerOf(row, 'id') }).map(entryOf);
    });
  }

  /**
   * Writes an entry unless its path has one, and answers what the path then holds.
   *
   * @throws InvokeError ERR_DURABLE_CLAIM_LOST for anyone but the owner of the newest claim; answering an open wait is free
   */
  append(run: string, entry: JournalEntry): JournalEntry {
    const text = entryText(run, entry);
    if (this.#insertAsOwner(run, text)) return decoded(text);
    return this.#store.writing(run, () => {
      if (!this.#claims.acts(run)) return this.#deliver(run, text);
      const state = this.#claims.mustHold(run);
      const parked = state.holder === null;
      const stored = this.#insert(state.id, text, this.#claims.held(run));
      if (text.kind === 0 && stored === undefined) this.#endWait(state.id, text.path, parked);
      return stored ?? decoded(text);
    });
  }

  /** Inside a transaction: writes the answer of an open wait, whoever gives it, and makes the run due. */
  deliverAt(id: number, path: string, value: string | null): void {
    this.#insert(id, summed({ path, kind: 0, target: null, value }));
    this.#endWait(id, path, true);
  }

  find(id: number, path: string): JournalEntry | undefined {
    const row = this.#store.get(SELECT_ONE, { run: id, path });
    return row === undefined ? undefined : entryOf(row);
  }

  /** Whether the entry is written; when not, the transaction tells why: fenced, lapsed, there already, or ending a wait. */
  #insertAsOwner(run: string, text: EntryText): boolean {
    const held = this.#claims.held(run);
    if (held === undefined || held.dropped || held.place === undefined) return false;
    const place = held.place + 1;
    const parameters = { run: held.id, fence: held.fence, now: this.#store.now(), place, ...text };
    if (this.#store.reading(run, () => this.#store.run(INSERT_AS_OWNER, parameters)) === 0) return false;
    held.place = place;
    return true;
  }

  /** A process without a claim may do one thing: answer an open wait. */
  #deliver(run: string, text: EntryText): JournalEntry {
    const id = this.#store.idOf(run);
    const wait = this.#store.get(FIND_WAIT, { run: id, path: text.path })?.['state'];
    if (text.kind !== 0 || text.target !== null || wait === undefined || wait === 'closed') {
      throw this.#claims.lost(run, 'never-claimed');
    }
    const stored = this.find(id, text.path);
    if (stored !== undefined) return stored;
    this.deliverAt(id, text.path, text.value);
    return decoded(text);
  }

  /** Answers what was there already; undefined when `text` is written now. */
  #insert(id: number, text: EntryText, held?: HeldClaim): JournalEntry | undefined {
    const { path } = text;
    const last = this.#store.get(LAST_PLACE, { run: id });
    const place = last === undefined ? 1 : integerOf(last, 'place') + 1;
    if (this.#store.run(INSERT, { run: id, place, ...text }) > 0) {
      if (held !== undefined) held.place = place;
      return undefined;
    }
    const row = this.#store.get(SELECT_ONE, { run: id, path });
    if (row === undefined) throw new UnreadableRecord('an entry is there and cannot be found');
    return entryOf(row);
  }

  /** An entry at the path of an open wait ends it: as its answer, or because its owner went past it (a wait for an instant). */
  #endWait(id: number, path: string, answered: boolean): void {
    const ended = this.#store.run(END_WAIT, { run: id, path, state: answered ? 'answered' : 'closed' });
    if (ended > 0 && answered) this.#store.run(WAKE, { run: id, now: this.#store.now() });
  }
}

function entryText(run: string, entry: JournalEntry): EntryText {
  const where = { run, path: entry.path };
  const kind = entry.kind === 'step' ? 0 : KINDS.indexOf(entry.decision ?? 'value');
  if (kind < 0) throw new TypeError(`unknown decision kind ${String(entry.decision)}`);
  return summed({ path: entry.path, kind, target: toText(entry.target, where), value: toText(entry.value, where) });
}

function decoded(text: EntryText): JournalEntry {
  return build(text.path, text.kind, text.target, text.value);
}

/** SQLite does not notice a byte that changed inside a text; the sum does. Not made against whoever can write the file. */
function summed(text: Omit<EntryText, 'sum'>): EntryText {
  const { path, kind, target, value } = text;
  const head = `${String(kind)} ${path} ${target ?? ''}`;
  // One call over one text: calling costs more than summing what an entry usually holds.
  return { path, kind, target, value, sum: crc32(value === null ? head : `${head}\n${value}`) };
}

function entryOf(row: SqlRow): JournalEntry {
  const path = textOf(row, 'path');
  const kind = integerOf(row, 'kind');
  const target = textOrNull(row, 'target');
  const value = textOrNull(row, 'value');
  if (summed({ path, kind, target, value }).sum !== integerOf(row, 'sum')) {
    throw new UnreadableRecord('an entry is not what was recorded');
  }
  return build(path, kind, target, value);
}

function build(path: string, kind: number, target: string | null, value: string | null): JournalEntry {
  const word = KINDS[kind];
  if (word === undefined) throw new UnreadableRecord('an entry is of no known kind');
  // Plain branches: a replay builds one of these for every entry of a run.
  const entry: Writable<JournalEntry> =
    word === 'step' ? { path, kind: word } : { path, kind: 'decision', decision: word };
  if (target !== null) entry.target = targetOf(fromText(target));
  if (value !== null) entry.value = fromText(value);
  return entry;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function targetOf(value: unknown): NonNullable<JournalEntry['target']> {
  if (typeof value === 'object' && value !== null && 'kind' in value && 'name' in value) {
    const { kind, name } = value;
    const module = 'module' in value ? value.module : undefined;
    if (typeof kind === 'string' && typeof name === 'string' && (module === undefined || typeof module === 'string')) {
      return { ...value, kind, name, ...present('module', module) };
    }
  }
  throw new UnreadableRecord('a recorded target is not one');
}
