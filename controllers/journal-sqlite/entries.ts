import type { DecisionKind } from '@telorun/sdk';
import type { JournalEntry } from '@telorun/sdk/journal';
import { APPEND, FORMS } from './append.ts';
import { type Claims, isTerminal } from './claims.ts';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';
import type { Store } from './store.ts';
import type { Known, RunKey, Trail } from './trail.ts';
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
export const INSERT = `INSERT INTO entries (id, run, path, kind, digest, target, value)
  VALUES (:run << 32 | :place, :run, :path, :kind, :digest, :target, :value)`;
const END_WAIT = `UPDATE waits SET state = :state WHERE run = :run AND path = :path AND state = 'open'`;
const FIND_WAIT = 'SELECT state FROM waits WHERE run = :run AND path = :path';
/** An operator's word that a run goes on, by its epoch milliseconds. */
const RESUMED = /^override\/resume\/\d+$/;
const WAKE = `UPDATE runs SET status = 'running', due_at = NULL, updated_at = :now WHERE id = :run AND status = 'parked'`;

type EntryText = {
  readonly path: string;
  readonly kind: number;
  readonly target: string | null;
  readonly value: string | null;
};

export class Entries {
  readonly #store: Store;
  readonly #claims: Claims;
  readonly #trail: Trail;
  #formed = false;

  constructor(store: Store, claims: Claims, trail: Trail) {
    this.#store = store;
    this.#claims = claims;
    this.#trail = trail;
  }

  /**
   * Every entry of a run, in the order in which they were written: one query, one parse a row, one digest.
   *
   * @throws InvokeError ERR_DURABLE_JOURNAL_CORRUPT {run, seq, path?} unless they are exactly those recorded
   */
  read(run: string): readonly JournalEntry[] {
    return this.#store.snapshot(run, () => {
      const row = this.#store.get('SELECT id FROM runs WHERE run = :run', { run });
      if (row === undefined) return [];
      const held = this.#claims.held(run);
      const entries: JournalEntry[] = [];
      let unread: { readonly error: unknown } | undefined;
      const paths = new Set<string>();
      const chain = this.#trail.readAll({ id: integerOf(row, 'id'), run }, ({ path, kind, target, value }) => {
        if (held !== undefined) paths.add(path);
        try {
          if (unread === undefined) entries.push(build(path, kind, target, value));
        } catch (error) {
          // A run that is not whole says so first, and where.
          unread = { error };
        }
      });
      if (unread !== undefined) throw unread.error;
      if (held !== undefined) held.known = { chain, paths };
      return entries;
    });
  }

  /**
   * Writes an entry unless its path has one, and answers what the path then holds.
   *
   * @throws InvokeError ERR_DURABLE_CLAIM_LOST for anyone but the owner of the newest claim; answering an open wait is free
   */
  append(run: string, entry: JournalEntry): JournalEntry {
    const text = entryText(run, entry);
    if (this.#insertAsOwner(run, text)) return recorded(entry, text);
    const held = this.#claims.held(run);
    // Known again once the transaction has ended well; after one that did not, the run is read anew.
    const former = held?.known;
    if (held !== undefined) held.known = undefined;
    const { stored, known } = this.#store.writing(run, () => {
      if (!this.#claims.acts(run)) return { stored: this.#deliver(run, text), known: undefined };
      const { id, holder } = this.#claims.mustHold(run);
      const written = this.#insert({ id, run }, text, former);
      if (text.kind === 0 && written.stored === undefined) this.#endWait(id, text.path, holder === null);
      return written;
    });
    if (held !== undefined) held.known = known;
    return stored ?? decoded(text);
  }

  /** Inside a transaction: writes the answer of an open wait, whoever gives it, and makes the run due. */
  deliverAt(key: RunKey, path: string, value: string | null): void {
    this.#insert(key, { path, kind: 0, target: null, value });
    this.#endWait(key.id, path, true);
  }

  find(id: number, path: string): JournalEntry | undefined {
    const row = this.#trail.at(id, path);
    return row === undefined ? undefined : entryOf(row);
  }

  /** Whether the entry is written; when not, the long way tells why: fenced, lapsed, there already, or ending a wait. */
  #insertAsOwner(run: string, text: EntryText): boolean {
    const held = this.#claims.held(run);
    if (held?.known === undefined || held.dropped || held.known.paths.has(text.path)) return false;
    this.#store.assertInPlace(run);
    const { id, fence, known } = held;
    const { chain: before, paths } = known;
    const place = before.place + 1;
    const { path, kind, target, value } = text;
    const chain = before.with([{ place, path, kind, target, value }]);
    const now = this.#store.now();
    const parameters = [id, fence, now, before.head, before.mark, place, path, kind, chain.head, target, value];
    this.#form(run);
    if (!this.#store.guarded(run, APPEND, parameters)) return false;
    held.known = { chain, paths: paths.add(path) };
    held.confirmed = now;
    return true;
  }

  /** Effect: gives this connection the form that `APPEND` fills in. */
  #form(run: string): void {
    if (this.#formed) return;
    this.#store.reading(run, () => FORMS.forEach((sql) => this.#store.run(sql)));
    this.#formed = true;
  }

  /** A process without a claim may do two things: answer an open wait, and note that a run goes on at an operator's word. */
  #deliver(run: string, text: EntryText): JournalEntry {
    const id = this.#store.idOf(run);
    if (RESUMED.test(text.path) && text.kind === KINDS.indexOf('value')) return this.#note({ id, run }, text);
    const wait = this.#store.get(FIND_WAIT, { run: id, path: text.path })?.['state'];
    if (text.kind !== 0 || text.target !== null || wait === undefined || wait === 'closed') {
      throw this.#claims.lost(run, 'never-claimed');
    }
    const stored = this.find(id, text.path);
    if (stored !== undefined) return stored;
    this.deliverAt({ id, run }, text.path, text.value);
    return decoded(text);
  }

  /** What Telo's Resume writes without a claim. Nobody executes the run: whoever does would find its journal grown. */
  #note(key: RunKey, text: EntryText): JournalEntry {
    const state = this.#claims.read(key.run);
    if (state === undefined || isTerminal(state.status)) throw this.#claims.lost(key.run, 'settled');
    if (this.#claims.isLive(state, this.#store.now())) throw this.#claims.lost(key.run, 'never-claimed');
    return this.#insert(key, text).stored ?? decoded(text);
  }

  /** Answers what was there already; nothing when `text` is written now. Nothing is added to a chain that is damaged. */
  #insert(key: RunKey, text: EntryText, former?: Known): { readonly stored?: JournalEntry; readonly known: Known } {
    const known = this.#trail.end(key, former);
    if (known.paths.has(text.path)) {
      const stored = this.find(key.id, text.path);
      if (stored === undefined)
        throw new UnreadableRecord('an entry is there and cannot be found', { path: text.path });
      return { stored, known };
    }
    const chain = known.chain.with([{ place: known.chain.place + 1, ...text }]);
    this.#store.run(INSERT, { run: key.id, place: chain.place, digest: chain.head, ...text });
    this.#trail.follow(key, known.chain);
    return { known: { chain, paths: known.paths.add(text.path) } };
  }

  /** An entry at the path of an open wait ends it: as its answer, or because its owner went past it (a wait for an instant). */
  #endWait(id: number, path: string, answered: boolean): void {
    const ended = this.#store.run(END_WAIT, { run: id, path, state: answered ? 'answered' : 'closed' });
    if (ended > 0 && answered) this.#store.run(WAKE, { run: id, now: this.#store.now() });
  }
}

/** The columns that an entry is kept in. Pure. @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE */
export function entryText(run: string, entry: JournalEntry): EntryText {
  const where = { run, path: entry.path };
  const kind = entry.kind === 'step' ? 0 : KINDS.indexOf(entry.decision ?? 'value');
  if (kind < 0) throw new TypeError(`unknown decision kind ${String(entry.decision)}`);
  return { path: entry.path, kind, target: toText(entry.target, where), value: toText(entry.value, where) };
}

function decoded(text: EntryText): JournalEntry {
  return build(text.path, text.kind, text.target, text.value);
}

/** What a reader gets of an entry that is written now. A text, a boolean and null come back as they went in. */
function recorded(entry: JournalEntry, text: EntryText): JournalEntry {
  const { value } = entry;
  if (typeof value !== 'string' && typeof value !== 'boolean' && value !== null) return decoded(text);
  const stored = build(text.path, text.kind, text.target, null);
  stored.value = value;
  return stored;
}

function entryOf(row: SqlRow): JournalEntry {
  return build(textOf(row, 'path'), integerOf(row, 'kind'), textOrNull(row, 'target'), textOrNull(row, 'value'));
}

function build(path: string, kind: number, target: string | null, value: string | null): Writable<JournalEntry> {
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
