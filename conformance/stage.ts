import { AssertionError } from 'node:assert';
import type { DurableRunHandle, DurableTarget, InvokeContext, OpenZone, ParkUntil } from '@telorun/sdk';
import { cancellationError, parkRun } from '@telorun/sdk';
import type { FencedJournal, JournalEntry, RunStatus } from '@telorun/sdk/journal';
import type { Backend, Ended, Execution, Place } from './backend.ts';
import type { Capability } from './capabilities.ts';
import { equal, failed } from './expect.ts';

/** The run of a case that needs one. */
export const RUN = 'conformance:1';

/** What the body of a case acts with. */
export interface Acting {
  readonly context: InvokeContext;
  readonly handle: DurableRunHandle;
  readonly openZones: (context: InvokeContext) => readonly OpenZone[];
  /** An effect that waits for an answer at its own path, as Durable.Await does. */
  readonly wait: (path: string, until?: ParkUntil, target?: DurableTarget) => Promise<unknown>;
  /** Parks, latched by the copy of the SDK that the backend reads. */
  readonly park: (path: string, until?: ParkUntil) => Promise<never>;
  /** Holds this execution until the case wakes it. */
  readonly pause: () => Promise<void>;
}

/** How long executions that a case has left behind may take to end, in milliseconds. */
const ENDING_MS_MAX = 5_000;

export type Body = (acting: Acting) => Promise<unknown>;

/** An execution in the middle of its body. */
export interface Paused {
  readonly wake: () => void;
  readonly ended: Promise<Ended>;
}

/** One place of a backend, for one case. */
export class Stage {
  readonly backend: Backend;
  readonly #place: Place;
  readonly #paused: (() => void)[] = [];
  readonly #executions: Promise<unknown>[] = [];

  constructor(backend: Backend, place: Place) {
    this.backend = backend;
    this.#place = place;
  }

  /** Executes a run once. */
  execute(body: Body, run = RUN, caller?: InvokeContext): Promise<Ended> {
    return this.#execute(body, { run, pause: async () => undefined, ...(caller === undefined ? {} : { caller }) });
  }

  /** Executes a run until its body pauses. @throws AssertionError when it ends without */
  async untilPaused(body: Body, run = RUN): Promise<Paused> {
    let arrived = (): void => undefined;
    let wake = (): void => undefined;
    const paused = new Promise<void>((resolve) => (arrived = resolve));
    const woken = new Promise<void>((resolve, reject) => {
      wake = resolve;
      this.#paused.push(() => reject(cancellationError('the case is over')));
    });
    const pause = (): Promise<void> => {
      arrived();
      return woken;
    };
    // Nobody listens to a pause that is never come to.
    woken.catch(() => undefined);
    const ended = this.#execute(body, { run, pause });
    const early = await Promise.race([paused, ended]);
    if (early !== undefined) equal(early, 'paused', 'a body that should have come to its pause');
    return { wake, ended };
  }

  /** Executes a run whose process is killed where the body pauses: nothing more of it happens. */
  async killed(body: Body, run = RUN): Promise<void> {
    await this.untilPaused(body, run);
  }

  entries(run = RUN): Promise<readonly JournalEntry[]> {
    return this.#place.entries?.(run) ?? this.#lacking('entries');
  }

  /** The paths on record, in the order of writing. */
  async keys(run = RUN): Promise<readonly string[]> {
    return (await this.entries(run)).map(({ path }) => path).filter((path) => path !== 'inputs');
  }

  status(run = RUN): Promise<RunStatus | undefined> {
    return this.#place.status?.(run) ?? this.#lacking('status');
  }

  deliver(path: string, value: unknown, run = RUN): Promise<boolean> {
    return this.#place.deliver?.(run, path, value) ?? this.#lacking('delivery');
  }

  journal(): Promise<FencedJournal> {
    return this.#place.journal?.() ?? this.#lacking('store');
  }

  tear(run = RUN): Promise<void> {
    return this.#place.tear?.(run) ?? this.#lacking('tearing');
  }

  /** The same runs as another process sees them. */
  async reopened(): Promise<Stage> {
    return new Stage(this.backend, await (this.#place.reopen?.() ?? this.#lacking('reopen')));
  }

  /** Ends the executions that were left in their pauses, then closes the place. */
  async close(): Promise<void> {
    for (const end of this.#paused) end();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, ENDING_MS_MAX)));
    await Promise.race([Promise.allSettled(this.#executions), late]);
    clearTimeout(timer);
    await this.#place.close();
  }

  #execute(
    body: Body,
    { run, pause, caller }: { run: string; pause: () => Promise<void>; caller?: InvokeContext },
  ): Promise<Ended> {
    const ended = this.#watched((found) =>
      this.#place.execute(
        run,
        async (execution) => {
          try {
            return await body(this.#acting(execution, pause));
          } catch (error) {
            found(error);
            throw error;
          }
        },
        caller,
      ),
    );
    this.#executions.push(ended);
    return ended;
  }

  /** What a case finds inside a body is its finding, however the backend settles the run for it. */
  async #watched(work: (found: (error: unknown) => void) => Promise<Ended>): Promise<Ended> {
    const findings: AssertionError[] = [];
    const ended = await work((error) => {
      if (error instanceof AssertionError) findings.push(error);
    });
    const [finding] = findings;
    if (finding !== undefined) throw finding;
    return ended;
  }

  #acting(execution: Execution, pause: () => Promise<void>): Acting {
    const { context } = execution;
    const handle = context.durable;
    if (handle === undefined) failed('expected the context of a body to carry the handle of its run as `durable`');
    const parking = this.backend.parkRun ?? parkRun;
    const park = (path: string, until: ParkUntil = {}): Promise<never> =>
      parking(handle, { path, resource: 'approval' }, { token: `${handle.runId} ${path}`, ...until });
    return {
      context,
      handle,
      pause,
      park,
      openZones: (open) => execution.openZones?.(open) ?? [],
      wait: (path, until, target) => handle.step(path, target, {}, () => park(path, until)),
    };
  }

  #lacking(capability: Capability): never {
    return failed(`expected ${this.backend.name} to declare "${capability}" under cannot, or to have its method`);
  }
}
