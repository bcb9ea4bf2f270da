import type { RunRecord, WaitRecord, WholeRun } from '@telorun/sdk/journal';
import type { Digests } from './chain.ts';
import { INSERT, entryText } from './entries.ts';
import { runSeal } from './run-seal.ts';
import type { Store } from './store.ts';
import type { RunKey, Trail } from './trail.ts';
import { toText } from './values.ts';
import { waitDigest } from './wait-digest.ts';

/** Nobody's claim; the next one is higher. */
const FENCE = 1;
const ADOPT = `INSERT INTO runs (run, status, fence, due_at, created_at, updated_at, program, problem, error,
  collapsed_regions, collapse_reasons, inputs, result, seal)
  VALUES (:run, :status, :fence, :due_at, :created_at, :updated_at, :program, :problem, :error,
  :collapsed_regions, :collapse_reasons, :inputs, :result, :seal) ON CONFLICT (run) DO NOTHING`;
const WAIT = `INSERT INTO waits (run, path, state, fence, since, resource, at, token, schema, request, digest)
  VALUES (:run, :path, :state, :fence, :since, :resource, :at, :token, :schema, :request, :digest)`;

export interface AdoptionRooms {
  readonly store: Store;
  readonly trail: Trail;
  readonly digests: Digests;
}

/** Runs that another journal has kept. Their digests are made here: they vouch for a run from then on, not for its past. */
export class Adoption {
  readonly #store: Store;
  readonly #trail: Trail;
  readonly #digests: Digests;

  constructor({ store, trail, digests }: AdoptionRooms) {
    this.#store = store;
    this.#trail = trail;
    this.#digests = digests;
  }

  /**
   * Durable: the whole run in one transaction, claimed by nobody. Answers false where there is one of its id.
   *
   * @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE
   */
  adopt({ record, entries, waits }: WholeRun): boolean {
    const { run } = record;
    const row = this.#row(record);
    const texts = entries.map((entry) => entryText(run, entry));
    const rows = waits.map((wait) => this.#wait(wait));
    return this.#store.writing(run, () => {
      if (this.#store.run(ADOPT, row) === 0) return false;
      const key: RunKey = { id: this.#store.idOf(run), run };
      this.#trail.start(key);
      let chain = this.#digests.chain(run);
      for (const text of texts) {
        const before = chain;
        chain = before.with([{ place: before.place + 1, ...text }]);
        this.#store.run(INSERT, { run: key.id, place: chain.place, digest: chain.head, ...text });
        this.#trail.follow(key, before);
      }
      for (const wait of rows) this.#store.run(WAIT, { run: key.id, ...wait });
      return true;
    });
  }

  #row(record: RunRecord) {
    const { run, status, dueAt, createdAt, collapsedRegions } = record;
    const now = this.#store.now();
    const text = (path: 'program' | 'problem' | 'error' | 'collapseReasons' | 'inputs' | 'result'): string | null =>
      toText(record[path], { run, path });
    const row = {
      run,
      status,
      fence: FENCE,
      due_at: dueAt ?? null,
      created_at: createdAt ?? now,
      updated_at: now,
      program: text('program'),
      problem: text('problem'),
      error: text('error'),
      collapsed_regions: collapsedRegions ?? null,
      collapse_reasons: text('collapseReasons'),
      inputs: text('inputs'),
      result: text('result'),
    };
    return { ...row, seal: runSeal(this.#digests, row) };
  }

  #wait({ run, path, state, since, resource, at, token, schema, request }: WaitRecord) {
    const asked = {
      path,
      since,
      resource,
      at: at ?? null,
      token: token ?? null,
      schema: toText(schema, { run, path }),
      request: toText(request, { run, path }),
    };
    return {
      ...asked,
      state,
      fence: FENCE,
      digest: waitDigest(this.#digests, asked, run),
    };
  }
}
