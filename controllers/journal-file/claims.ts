import type { InvokeError } from '@telorun/sdk';
import { type ClaimLoss, claimLostError } from '../journal-sqlite/errors.ts';
import { isDead } from '../journal-sqlite/owner.ts';
import type { RunFiles } from './run-files.ts';
import type { ClaimView, RunState } from './run-state.ts';
import type { Store } from './store.ts';

/** A claim that this instance has won and not given back. */
interface HeldClaim {
  readonly fence: number;
  readonly holder: string;
  readonly ttlMs: number;
  /** Given back by `parkRun`, whose caller may still write until somebody else claims the run. */
  dropped: boolean;
}

/**
 * Who may write what of which run: claims with a fence, one higher than the last, in the file beside the run's. This
 * instance remembers its own and compares it under the lock of every write.
 */
export class Claims {
  readonly #store: Store;
  readonly #owner: string;
  readonly #held = new Map<string, HeldClaim>();

  constructor(store: Store) {
    this.#store = store;
    this.#owner = JSON.stringify(store.processes.self);
  }

  /** Under the lock: takes the run when it is free, lapsed, its owner dead, or held by this holder. */
  claim(files: RunFiles, holder: string, ttlMs: number): boolean {
    const { state, run } = files;
    if (!files.known || state.settled) return false;
    const held = this.#held.get(run);
    const ours = held?.fence === state.claim.fence && state.claim.holder === holder && held.holder === holder;
    if (!ours && state.claim.holder !== holder && this.isLive(state.claim)) return false;
    // The same execution asking again is a renewal; everything else is a new execution and gets a fence of its own.
    const fence = ours ? state.claim.fence : state.claim.fence + 1;
    files.note([{ type: 'claim', fence, holder, until: this.#store.now() + ttlMs, owner: this.#owner }]);
    this.#held.set(run, { fence, holder, ttlMs, dropped: false });
    this.#store.pin(run);
    return true;
  }

  /** Under the lock: extends a claim that nobody has taken over, also when it has lapsed. */
  renew(files: RunFiles): boolean {
    const held = this.#held.get(files.run);
    if (held === undefined || this.#loss(files.state, held) !== undefined) return false;
    if (files.state.claim.holder !== held.holder) return false;
    const until = this.#store.now() + held.ttlMs;
    const { fence, holder } = held;
    files.note([{ type: 'claim', fence, holder, until, owner: this.#owner }], { lazily: true });
    return true;
  }

  /** Reads what others have added, and nothing else while the lease lasts. @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  check(run: string): void {
    if (!this.#held.has(run)) throw this.lost(run, 'never-claimed');
    const lapsed = this.#store.reading(run, ({ state }) => this.#mustBeOurs(run, state) && this.#isLapsed(state.claim));
    if (lapsed) this.#store.writing(run, (files) => this.mustHold(files));
  }

  /**
   * Under the lock, before a write of the claim's owner. A lease that ran out while nobody took over is renewed.
   *
   * @throws InvokeError ERR_DURABLE_CLAIM_LOST
   */
  mustHold(files: RunFiles): ClaimView {
    this.#mustBeOurs(files.run, files.state);
    if (this.#isLapsed(files.state.claim)) this.renew(files);
    return files.state.claim;
  }

  /** Whether the claim is still ours. */
  holds({ run, state }: RunFiles): boolean {
    const held = this.#held.get(run);
    return held !== undefined && this.#loss(state, held) === undefined;
  }

  /** Whether this instance acts as the run's owner; not once a claim that it had given back went to another. */
  acts({ run, state }: RunFiles): boolean {
    const held = this.#held.get(run);
    if (held === undefined) return false;
    if (!held.dropped || state.claim.fence === held.fence) return true;
    this.forget(run);
    return false;
  }

  /** Keeps the fence of a claim that is given back while siblings of its execution go on. */
  drop(run: string): void {
    const held = this.#held.get(run);
    if (held !== undefined) held.dropped = true;
  }

  forget(run: string): void {
    this.#held.delete(run);
    this.#store.unpin(run);
  }

  isLive({ holder, until, owner }: ClaimView, now = this.#store.now()): boolean {
    if (holder === undefined || until === undefined || until <= now) return false;
    return !isDead(owner ?? null, this.#store.processes);
  }

  lost(run: string, reason: ClaimLoss): InvokeError {
    return claimLostError({ file: this.#store.folders.runs, run }, reason);
  }

  #mustBeOurs(run: string, state: RunState): true {
    const held = this.#held.get(run);
    const loss = held === undefined ? 'never-claimed' : this.#loss(state, held);
    if (loss !== undefined) throw this.lost(run, loss);
    return true;
  }

  #isLapsed({ until }: ClaimView): boolean {
    return until !== undefined && until <= this.#store.now();
  }

  #loss(state: RunState, held: HeldClaim): ClaimLoss | undefined {
    if (state.settled) return 'settled';
    return state.claim.fence === held.fence ? undefined : 'taken-over';
  }
}
