import type { DurableRunHandle } from '../durable-run.ts';

const BRAND = Symbol.for('@telorun/sdk:ReplayEnd');

/** Ends a body that is only replayed, at the first thing that is not on record. Never leaves the engine. */
class ReplayEnd extends Error {
  readonly [BRAND] = true;
}

/** Whether `error` is the end of a body that is only replayed. Pure. */
export function isReplayEnd(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, BRAND) === true;
}

/** A handle that answers what is recorded and performs nothing. Needs a handle that tells what is recorded. */
export function replayOnly(handle: DurableRunHandle): DurableRunHandle {
  const require = (path: string): void => {
    if (handle.recorded?.(path) !== true) throw new ReplayEnd(`Nothing is recorded at "${path}"`);
  };
  return {
    runId: handle.runId,
    step: async (path, target, inputs, execute) => {
      require(path);
      return handle.step(path, target, inputs, execute);
    },
    decide: async (path, kind, compute) => {
      require(path);
      return handle.decide(path, kind, compute);
    },
    park: async ({ path }) => {
      throw new ReplayEnd(`A wait at "${path}" cannot be reached again`);
    },
    writesInside: (zone) => handle.writesInside(zone),
    recorded: (path) => handle.recorded?.(path) === true,
  };
}
