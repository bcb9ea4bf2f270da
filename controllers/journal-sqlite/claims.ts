import type { InvokeError } from '@telorun/sdk';
import type { SqlRow } from './driver.ts';
import { type ClaimLoss, claimLostError } from './errors.ts';
import { type ProcessTable, isDead } from './owner.ts';
import type { Store } from './store.ts';
import type { Known } from './trail.ts';
import { integerOf, integerOrNull, textOf, textOrNull } from './values.ts';

/** A claim that this instance has won and not given back. */
export interface HeldClaim {
  readonly id: number;
  readonly fence: number;
  readonly holder: string;
  readonly ttlMs: number;
  /** Epoch milliseconds, as the store has it. */
  until: number;
  /** Epoch milliseconds: when the store was last seen to have it. */
  confirmed: number;
  /** Given back by `parkRun`, whose caller may still write until somebody else claims the run. */
  dropped: boolean;
  /** The run's entries as this owner knows them; undefined until it has looked. */
  known: Known | undefined;
}

/** What one row of `runs` says about who may write. */
export interface ClaimState {
  readonly id: number;
  readonly status: string;
  readonly fence: number;
  readonly holder: string | null;
  readonly until: number | null;
  readonly owner: string | null;
}

const SELECT = 'SELECT id, status, fence, holder, claim_until, owner FROM runs WHERE run = :run';
const SELECT_BY_ID = 'SELECT id, status, fence, holder, claim_until, owner FROM runs WHERE id = :id';
const CLAIM = `UPDATE runs SET fence = :fence, holder = :holder, claim_until = :until, owner = :owner, problem = NULL,
  updated_at = :now WHERE id = :id`;
const EXTEND = 'UPDATE runs SET claim_until = :until WHERE id = :id AND fence = :fence AND holder = :holder';
/** How long what a write has shown of a claim counts, in milliseconds. */
const CONFIRMED_MS = 10;
const TERMINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

export function isTerminal(status: string): boolean {
  return TERMINAL.has(status);
}

/**
 * Who may write what of which run. Each claim has a fence, one higher than the last; this instance remembers its own and
 * compares it in the transaction of every write.
 */
export class Claims {
  readonly #store: Store;
  readonly #processes: ProcessTable;
  readonly #owner: string;
  readonly #held = new Map<string, HeldClaim>();

  constructor(store: Store, processes: ProcessTable) {
    this.#store = store;
    this.#processes = processes;
    this.#owner = JSON.stringify(processes.self);
  }

  /** Inside a transaction: takes the run when it is free, lapsed, its owner dead, or held by this holder. */
  claim(run: string, holder: string, ttlMs: number): boolean {
    const state = this.read(run);
    if (state === undefined || isTerminal(state.status)) return false;
    const now = this.#store.now();
    const held = this.#held.get(run);
    const ours = held?.fence === state.fence && state.holder === holder && held.holder === holder;
    if (!ours && state.holder !== holder && this.isLive(state, now)) return false;
    // The same execution asking again is a renewal; everything else is a new execution and gets a fence of its own.
    const fence = ours ? state.fence : state.fence + 1;
    const until = now + ttlMs;
    this.#store.run(CLAIM, { id: state.id, fence, holder, until, owner: this.#owner, now });
    this.#held.set(run, {
      id: state.id,
      fence,
      holder,
      ttlMs,
      until,
      confirmed: now,
      dropped: false,
      known: undefined,
    });
    return true;
  }

  /** Inside a transaction: extends a claim that nobody has taken over, also when it has lapsed. */
  renew(run: string): boolean {
    const held = this.#held.get(run);
    return held !== undefined && this.#extend(held);
  }

  /** Local right after a write; else the store is asked: a cancellation takes a run whose lease lasts. @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  check(run: string): void {
    const held = this.#held.get(run);
    if (held === undefined) throw this.lost(run, 'never-claimed');
    const now = this.#store.now();
    if (held.until > now) {
      if (now - held.confirmed < CONFIRMED_MS) return;
      this.#store.assertInPlace(run);
      const state = this.#store.reading(run, () => this.#readById(held.id));
      const loss = state === undefined ? 'taken-over' : this.#loss(state, held);
      if (loss !== undefined) throw this.lost(run, loss);
      held.confirmed = now;
      return;
    }
    const kept = this.#store.writing(run, () => {
      const state = this.#readById(held.id);
      return (
        state !== undefined && this.#loss(state, held) === undefined && (state.holder === null || this.#extend(held))
      );
    });
    if (!kept) throw this.lost(run, 'taken-over');
  }

  /**
   * Inside a transaction, before a write of the claim's owner. A lease that ran out while nobody took over is renewed: no
   * other execution has begun, and none can before this transaction ends.
   *
   * @throws InvokeError ERR_DURABLE_CLAIM_LOST
   */
  mustHold(run: string): ClaimState {
    const held = this.#held.get(run);
    if (held === undefined) throw this.lost(run, 'never-claimed');
    const state = this.#readById(held.id);
    if (state === undefined) throw this.lost(run, 'taken-over');
    const loss = this.#loss(state, held);
    if (loss !== undefined) throw this.lost(run, loss);
    held.confirmed = this.#store.now();
    if (state.until !== null && state.until <= this.#store.now()) this.#extend(held);
    return state;
  }

  /** Inside a transaction: what the store says while the claim is still ours; undefined once it is lost. */
  current(run: string): ClaimState | undefined {
    const held = this.#held.get(run);
    const state = held === undefined ? undefined : this.#readById(held.id);
    if (held === undefined || state === undefined) return undefined;
    return this.#loss(state, held) === undefined ? state : undefined;
  }

  /** What the store says about the run; undefined for an unknown one. */
  read(run: string): ClaimState | undefined {
    const row = this.#store.get(SELECT, { run });
    return row === undefined ? undefined : claimState(row);
  }

  /** The claim that this instance has won, whatever has become of it since. */
  held(run: string): HeldClaim | undefined {
    return this.#held.get(run);
  }

  /** Whether this instance acts as the run's owner; not once a claim that it had given back went to another. */
  acts(run: string): boolean {
    const held = this.#held.get(run);
    if (held === undefined) return false;
    if (!held.dropped || this.#readById(held.id)?.fence === held.fence) return true;
    this.#held.delete(run);
    return false;
  }

  /** Keeps the fence of a claim that is given back while siblings of its execution go on. */
  drop(run: string): void {
    const held = this.#held.get(run);
    if (held !== undefined) held.dropped = true;
  }

  forget(run: string): void {
    this.#held.delete(run);
  }

  isLive(state: Pick<ClaimState, 'holder' | 'until' | 'owner'>, now: number): boolean {
    if (state.holder === null || state.until === null || state.until <= now) return false;
    return !isDead(state.owner, this.#processes);
  }

  /** Owners among `owners` that are known to be dead. */
  dead(owners: readonly (string | null)[]): readonly string[] {
    return owners.filter((owner) => owner !== null).filter((owner) => isDead(owner, this.#processes));
  }

  lost(run: string, reason: ClaimLoss): InvokeError {
    return claimLostError({ file: this.#store.file, run }, reason);
  }

  #readById(id: number): ClaimState | undefined {
    const row = this.#store.get(SELECT_BY_ID, { id });
    return row === undefined ? undefined : claimState(row);
  }

  #loss(state: ClaimState, held: HeldClaim): ClaimLoss | undefined {
    if (isTerminal(state.status)) return 'settled';
    return state.fence === held.fence ? undefined : 'taken-over';
  }

  #extend(held: HeldClaim): boolean {
    const until = this.#store.now() + held.ttlMs;
    const kept = this.#store.run(EXTEND, { id: held.id, fence: held.fence, holder: held.holder, until }) > 0;
    if (kept) {
      held.until = until;
      held.confirmed = this.#store.now();
    }
    return kept;
  }
}

function claimState(row: SqlRow): ClaimState {
  return {
    id: integerOf(row, 'id'),
    status: textOf(row, 'status'),
    fence: integerOf(row, 'fence'),
    holder: textOrNull(row, 'holder'),
    until: integerOrNull(row, 'claim_until'),
    owner: textOrNull(row, 'owner'),
  };
}
