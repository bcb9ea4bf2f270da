import type { DurableRunHandle } from '@telorun/sdk';

/** A handle for performers, with a memory of which errors were its own. */
export interface WatchedHandle {
  readonly handle: DurableRunHandle;
  /** Whether `error` came from the handle, not from what was handed to it. */
  isFault(error: unknown): boolean;
}

/**
 * Wraps a handle so that its own errors can be told from those of the work handed to it, whatever codes they carry.
 *
 * Effect: none of its own. Never given to a dispatched resource: a suspension is latched on the very handle.
 */
export function watchHandle(inner: DurableRunHandle): WatchedHandle {
  const faults = new Set<unknown>();
  const watched = async <T>(work: (mine: (error: unknown) => void) => Promise<T>): Promise<T> => {
    const thrownByWork = new Set<unknown>();
    try {
      return await work((error) => thrownByWork.add(error));
    } catch (error) {
      if (!thrownByWork.has(error)) {
        faults.add(error);
      }
      throw error;
    }
  };
  const handle: DurableRunHandle = {
    runId: inner.runId,
    step: (path, target, inputs, execute) =>
      watched((mine) =>
        inner.step(path, target, inputs, () => execute().catch((error: unknown) => rethrow(error, mine))),
      ),
    decide: (path, kind, compute) =>
      watched((mine) =>
        inner.decide(path, kind, () => {
          try {
            return compute();
          } catch (error) {
            return rethrow(error, mine);
          }
        }),
      ),
    park: (where, until) => inner.park(where, until),
    writesInside: (zone) => inner.writesInside(zone),
    ...(inner.confirmClaim === undefined ? {} : { confirmClaim: () => inner.confirmClaim?.() }),
    ...(inner.recorded === undefined ? {} : { recorded: (path: string) => inner.recorded?.(path) ?? false }),
  };
  return { handle, isFault: (error) => faults.has(error) };
}

function rethrow(error: unknown, mine: (error: unknown) => void): never {
  mine(error);
  throw error;
}
