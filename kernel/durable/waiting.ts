import type { DurableRunHandle, ParkUntil } from '@telorun/sdk';

/**
 * What a handle over a fenced journal knows of its waits beyond the seam: an answer where nothing replays it for the
 * caller (a region that is journaled as a whole), and the end of a wait whose time is over.
 */
export interface WaitingRunHandle {
  /** The answer on record at `path`. Pure. */
  answerAt(path: string): { readonly value: unknown } | undefined;
  /** Durable: closes the wait at `path`; answers the answer instead when that came first. */
  expireWait(path: string): Promise<{ readonly value: unknown } | undefined>;
}

/** A wait as our kinds state it: the schema and the request travel to the journal with the park. */
export interface WaitUntil extends ParkUntil {
  readonly schema?: unknown;
  readonly request?: unknown;
}

/** The same handle where it knows of waits; undefined for another backend's. Pure. */
export function waitingHandle(handle: DurableRunHandle): (DurableRunHandle & WaitingRunHandle) | undefined {
  return isWaiting(handle) ? handle : undefined;
}

function isWaiting(handle: DurableRunHandle): handle is DurableRunHandle & WaitingRunHandle {
  return (
    'answerAt' in handle &&
    typeof handle.answerAt === 'function' &&
    'expireWait' in handle &&
    typeof handle.expireWait === 'function'
  );
}
