import type { RunError, RunOutcome, RunRecord, RunStart, RunStatus, Wait } from '@telorun/sdk/journal';
import type { Digests } from './chain.ts';
import { type Claims, isTerminal } from './claims.ts';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';
import { RUN_COLUMNS, runOf } from './run-row.ts';
import { assertSealed, isSealed, runSeal } from './run-seal.ts';
import type { Store } from './store.ts';
import type { Trail } from './trail.ts';
import { integerOf, integerOrNull, textOf, textOrNull, toText } from './values.ts';
import type { Waits } from './waits.ts';

const ADMIT = `INSERT INTO runs (run, status, due_at, created_at, updated_at, program, inputs, seal)
  VALUES (:run, :status, :dueAt, :now, :now, :program, :inputs, :seal) ON CONFLICT (run) DO NOTHING`;
const STOP = `UPDATE runs SET status = :status, due_at = :dueAt, holder = NULL, claim_until = NULL, owner = NULL,
  problem = NULL, updated_at = :now WHERE id = :id`;
const RELEASE = `UPDATE runs SET holder = NULL, claim_until = NULL, owner = NULL, problem = :problem, updated_at = :now
  WHERE id = :id`;
const SETTLE = `UPDATE runs SET status = :status, fence = fence + :fenced, result = :result, error = :error,
  collapsed_regions = :regions, collapse_reasons = :reasons, seal = :seal, due_at = NULL, holder = NULL, claim_until = NULL, owner = NULL,
  problem = NULL, updated_at = :now WHERE id = :id`;
const OWNERS = `SELECT DISTINCT owner FROM runs
  WHERE status IN ('scheduled', 'running', 'parked') AND claim_until > :now AND owner IS NOT NULL`;
const DUE = `SELECT run FROM runs WHERE status IN ('scheduled', 'running', 'parked')
  AND (status = 'running' OR due_at <= :now)
  AND (holder IS NULL OR claim_until <= :now OR owner IN (SELECT value FROM json_each(:dead)))
  ORDER BY due_at NULLS FIRST, id LIMIT :limit`;
const LIMIT_MAX = 2_147_483_647;
const CANCELLED = 'ERR_DURABLE_RUN_CANCELLED';

/** What the seal of a run covers that a run which is not settled does not have. */
const UNSETTLED = { result: null, error: null, collapsed_regions: null, collapse_reasons: null };

interface Settling {
  readonly ended: { readonly status: string; readonly result: string | null; readonly error: string | null };
  readonly fenced: number;
  readonly regions: number | null;
  readonly reasons: string | null;
}

export interface RunRooms {
  readonly store: Store;
  readonly claims: Claims;
  readonly waits: Waits;
  readonly trail: Trail;
  readonly digests: Digests;
}

export class Runs {
  readonly #store: Store;
  readonly #claims: Claims;
  readonly #waits: Waits;
  readonly #trail: Trail;
  readonly #digests: Digests;

  constructor({ store, claims, waits, trail, digests }: RunRooms) {
    this.#store = store;
    this.#claims = claims;
    this.#waits = waits;
    this.#trail = trail;
    this.#digests = digests;
  }

  admit(run: string, start: RunStart): { admitted: boolean; existing?: RunRecord } {
    const stated = {
      run,
      status: start.status ?? 'running',
      dueAt: start.dueAt ?? null,
      now: this.#store.now(),
      program: toText(start.program, { run, path: 'program' }),
      inputs: toText(start.inputs, { run, path: 'inputs' }),
    };
    const seal = runSeal(this.#digests, { ...stated, ...UNSETTLED });
    return this.#store.writing(run, () => {
      if (this.#store.run(ADMIT, { ...stated, seal }) > 0) {
        this.#trail.start({ id: this.#store.idOf(run), run });
        return { admitted: true };
      }
      return { admitted: false, existing: this.#genuine(this.#mustFind(run)) };
    });
  }

  read(run: string): RunRecord | undefined {
    return this.#store.reading(run, () => {
      const row = this.#row(run);
      return row === undefined ? undefined : this.#genuine(row);
    });
  }

  /** Rows as they are, so that one that is damaged hides no other; `read` holds each against its seal. */
  list(filter: { readonly status?: RunStatus; readonly limit?: number }): readonly RunRecord[] {
    const limit = Math.min(filter.limit ?? LIMIT_MAX, LIMIT_MAX);
    return this.#store.reading(undefined, () =>
      (filter.status === undefined
        ? this.#store.all(`SELECT ${RUN_COLUMNS} FROM runs ORDER BY id DESC LIMIT :limit`, { limit })
        : this.#store.all(`SELECT ${RUN_COLUMNS} FROM runs WHERE status = :status ORDER BY id DESC LIMIT :limit`, {
            status: filter.status,
            limit,
          })
      ).map((row) => this.#record(row)),
    );
  }

  due(now: number, limit: number): readonly string[] {
    return this.#store.reading(undefined, () => {
      const dead = this.#claims.dead(this.#store.all(OWNERS, { now }).map((row) => textOrNull(row, 'owner')));
      return this.#store
        .all(DUE, { now, dead: JSON.stringify(dead), limit: Math.min(limit, LIMIT_MAX) })
        .map((row) => textOf(row, 'run'));
    });
  }

  /** @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  complete(run: string, outcome: RunOutcome): void {
    const texts = {
      result: toText(outcome.result, { run, path: 'result' }),
      error: toText(outcome.error, { run, path: 'error' }),
      reasons: toText(outcome.collapseReasons, { run, path: 'collapseReasons' }),
    };
    this.#store.writing(run, () => {
      const { id } = this.#claims.mustHold(run);
      assertSealed(this.#digests, this.#mustFind(run));
      const { result, error, reasons } = texts;
      this.#settle(run, id, {
        ended: { status: outcome.status, result, error },
        fenced: 0,
        regions: outcome.collapsedRegions ?? null,
        reasons,
      });
    });
    this.#claims.forget(run);
  }

  /** Takes the run from whoever executes it: the fence goes up, so that its owner's next write is refused. */
  cancel(run: string, error: RunError): boolean {
    const text = toText(error, { run, path: 'error' });
    const cancelled = this.#store.writing(run, () => {
      const state = this.#claims.read(run);
      if (state === undefined || isTerminal(state.status)) return false;
      const ended = { status: 'cancelled', result: null, error: text };
      this.#settle(run, state.id, { ended, fenced: 1, regions: null, reasons: null });
      return true;
    });
    return cancelled;
  }

  /** A claim that is lost already needs no giving back. */
  release(run: string, problem: RunError | undefined): void {
    const text = toText(problem, { run, path: 'problem' });
    this.#store.writing(run, () => {
      const state = this.#claims.current(run);
      if (state !== undefined) this.#store.run(RELEASE, { id: state.id, problem: text, now: this.#store.now() });
    });
    this.#claims.forget(run);
  }

  /** Telo's park: records one wait and gives the claim back. @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  park(run: string, wait: Wait): void {
    this.#store.writing(run, () => {
      const { id, fence } = this.#claims.mustHold(run);
      this.#waits.put(run, id, fence, wait);
      this.#stop(id, 'parked', this.#waits.dueAfter(id, fence));
    });
    this.#claims.drop(run);
  }

  /** @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  suspend(run: string): RunRecord {
    const record = this.#store.writing(run, () => {
      const { id, fence } = this.#claims.mustHold(run);
      const dueAt = this.#waits.dueAfter(id, fence);
      this.#stop(id, dueAt !== undefined && dueAt <= this.#store.now() ? 'running' : 'parked', dueAt);
      return this.#genuine(this.#mustFind(run));
    });
    this.#claims.forget(run);
    return record;
  }

  unpark(run: string): void {
    this.#store.writing(run, () => {
      const id = this.#store.idOf(run);
      this.#store.run(
        `UPDATE runs SET status = 'running', due_at = NULL, updated_at = :now WHERE id = :id AND status = 'parked'`,
        { id, now: this.#store.now() },
      );
    });
  }

  #stop(id: number, status: RunStatus, dueAt: number | undefined): void {
    this.#store.run(STOP, { id, status, dueAt: dueAt ?? null, now: this.#store.now() });
  }

  /** A run that is damaged can be cancelled and stays damaged: its seal is not made anew. */
  #settle(run: string, id: number, { ended, fenced, regions, reasons }: Settling): void {
    const row = this.#mustFind(run);
    const settled = { ...row, ...ended, collapsed_regions: regions, collapse_reasons: reasons };
    const seal = isSealed(this.#digests, row) ? runSeal(this.#digests, settled) : textOrNull(row, 'seal');
    this.#store.run(SETTLE, { id, ...ended, fenced, regions, reasons, seal, now: this.#store.now() });
    this.#waits.closeAll(id);
  }

  #mustFind(run: string): SqlRow {
    const row = this.#row(run);
    if (row === undefined) throw new UnreadableRecord('a run is there and cannot be found');
    return row;
  }

  #genuine(row: SqlRow): RunRecord {
    assertSealed(this.#digests, row);
    return this.#record(row);
  }

  #row(run: string): SqlRow | undefined {
    return this.#store.get(`SELECT ${RUN_COLUMNS} FROM runs WHERE run = :run`, { run });
  }

  #record(row: SqlRow): RunRecord {
    const claim = {
      holder: textOrNull(row, 'holder'),
      until: integerOrNull(row, 'claim_until'),
      owner: textOrNull(row, 'owner'),
    };
    return runOf(row, {
      wait: row['status'] === 'parked' ? this.#waits.first(integerOf(row, 'id'), textOf(row, 'run')) : undefined,
      claimed: this.#claims.isLive(claim, this.#store.now()),
    });
  }
}

/** What a run is cancelled with. Pure. */
export function cancellation(reason: string | undefined): RunError {
  return { code: CANCELLED, message: reason ?? 'The run was cancelled.' };
}
