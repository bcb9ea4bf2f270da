import type { JournalEntry } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../journal-sqlite/errors.ts';
import { toText } from '../journal-sqlite/values.ts';
import type { Claims } from './claims.ts';
import type { RunFiles } from './run-files.ts';
import { entryLine, runLine, withUrlTarget } from './run-line.ts';
import type { Runs } from './runs.ts';
import type { Store } from './store.ts';
import { closeWait } from './waits.ts';

export class Entries {
  readonly #store: Store;
  readonly #claims: Claims;
  readonly #runs: Runs;

  constructor(store: Store, claims: Claims, runs: Runs) {
    this.#store = store;
    this.#claims = claims;
    this.#runs = runs;
  }

  read(run: string): readonly JournalEntry[] {
    return this.#store.reading(run, (files) => files.entries());
  }

  /**
   * Writes an entry unless its path has one, and answers what the path then holds.
   *
   * @throws InvokeError ERR_DURABLE_CLAIM_LOST for anyone but the owner of the newest claim; answering an open wait is free
   */
  append(run: string, entry: JournalEntry): JournalEntry {
    toText(entry.target, { run, path: entry.path });
    toText(entry.value, { run, path: entry.path });
    return this.#store.writing(run, (files) => {
      if (!this.#claims.acts(files)) return this.#deliver(files, entry);
      const { holder } = this.#claims.mustHold(files);
      const stored = files.entry(entry.path);
      if (stored !== undefined) return stored;
      if (holder === undefined && entry.kind === 'step' && files.state.wait(entry.path)?.state === 'open') {
        return this.deliverAt(files, entry.path, entry.value);
      }
      // Its owner went past it (a wait for an instant): nobody has answered.
      if (entry.kind === 'step') closeWait(files, entry.path);
      return this.#put(files, entry, '');
    });
  }

  /** Under the lock: writes the answer of an open wait, whoever gives it, and makes the run due, in one write. */
  deliverAt(files: RunFiles, path: string, value: unknown): JournalEntry {
    const entry: JournalEntry = value === undefined ? { path, kind: 'step' } : { path, kind: 'step', value };
    const parked = files.state.line?.status === 'parked';
    return this.#put(files, entry, parked ? runLine(files.run, { status: 'running' }) : '');
  }

  /** A process without a claim may do one thing: answer an open wait. */
  #deliver(files: RunFiles, entry: JournalEntry): JournalEntry {
    this.#runs.mustKnow(files);
    const state = files.state.wait(entry.path)?.state;
    if (entry.kind !== 'step' || entry.target !== undefined || state === undefined || state === 'closed') {
      throw this.#claims.lost(files.run, 'never-claimed');
    }
    return files.entry(entry.path) ?? this.deliverAt(files, entry.path, entry.value);
  }

  #put(files: RunFiles, entry: JournalEntry, after: string): JournalEntry {
    const { path } = entry;
    const { written, module } = withUrlTarget(entry);
    // Lost with the power, it is not compared.
    if (module !== undefined) files.note([{ type: 'module', path, module }], { lazily: true });
    files.write(entryLine(written, files.plain('entry', path, entry.value)) + after);
    const stored = files.entry(path);
    if (stored === undefined) throw new UnreadableRecord('an entry was written and cannot be found');
    return stored;
  }
}
