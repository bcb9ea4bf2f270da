import { randomUUID } from 'node:crypto';
import { assertNotSwallowed, codeOf, DurableSuspension, isSuspension } from '@telorun/sdk';
import type { DurableRunHandle } from '@telorun/sdk';
import type { DurableJournal, JournalEntry, RunStart } from '@telorun/sdk/journal';

const LEASE_MS = 60_000;

export interface Started {
  readonly runId: string;
  readonly status: string;
  readonly started?: boolean;
  readonly attached?: boolean;
  readonly result?: unknown;
}

type Body = (handle: DurableRunHandle) => Promise<unknown>;

/**
 * `DurableLocal.Workflow` of a Telo kernel and the kinds beside it, over a journal of which they know Telo's contract alone:
 * the calls in the order in which they are described to be made. One of these is one controller instance.
 */
export class TeloWorkflow {
  readonly #journal: DurableJournal;
  readonly #body: Body;
  readonly #holder = randomUUID();

  constructor(journal: DurableJournal, body: Body) {
    this.#journal = journal;
    this.#body = body;
  }

  /** Admits or attaches, and executes when this instance gets the claim; the body has ended when this resolves. */
  async invoke(runId: string): Promise<Started> {
    const { admitted, existing } = await this.#journal.admitRun(runId, {});
    if (!admitted && existing?.status === 'completed') {
      return { runId, attached: true, status: existing.status, result: existing.result };
    }
    if (!admitted && existing?.status === 'failed') {
      throw Object.assign(new Error(existing.error?.message), { code: existing.error?.code });
    }
    if (!(await this.#journal.claimRun(runId, this.#holder, LEASE_MS))) {
      return { runId, attached: true, status: existing?.status ?? 'running' };
    }
    await this.#execute(runId);
    return { runId, started: true, status: 'running' };
  }

  async schedule(runId: string, start: RunStart & { readonly dueAt: number }): Promise<boolean> {
    return (await this.#journal.admitRun(runId, { status: 'scheduled', ...start })).admitted;
  }

  /** One sweep of a Resumer. */
  async sweep(now: number): Promise<readonly string[]> {
    const due = await this.#journal.dueRuns(now, 10);
    for (const run of due) if (await this.#journal.claimRun(run, this.#holder, LEASE_MS)) await this.#execute(run);
    return due;
  }

  /** As its timer does while a body runs. */
  async renew(run: string): Promise<boolean> {
    return this.#journal.claimRun(run, this.#holder, LEASE_MS);
  }

  async #execute(run: string): Promise<void> {
    const entries = new Map((await this.#journal.readEntries(run)).map((entry) => [entry.path, entry]));
    const handle = teloHandle(this.#journal, run, entries);
    try {
      await handle.decide('inputs', 'inputs', () => ({}));
      const steps = await this.#body(handle);
      assertNotSwallowed(handle);
      await this.#journal.completeRun(run, {
        status: 'completed',
        result: { steps },
        collapsedRegions: 0,
        collapseReasons: [],
      });
    } catch (error) {
      if (isSuspension(error) || codeOf(error) === 'ERR_INVOKE_CANCELLED') return;
      const message = error instanceof Error ? error.message : String(error);
      await this.#journal.completeRun(run, { status: 'failed', error: { code: codeOf(error) ?? 'INTERNAL', message } });
      throw error;
    }
  }
}

/** `DurableLocal.Deliver`. */
export async function teloDeliver(journal: DurableJournal, token: string, payload: unknown) {
  const run = await journal.runParkedOn(token);
  const parked = run === undefined ? undefined : (await journal.readRun(run))?.parked;
  if (run === undefined || parked === undefined) return { delivered: false };
  await journal.append(run, { path: parked.path, kind: 'step', value: payload });
  await journal.unparkRun(run);
  return { delivered: true, run };
}

/** `DurableLocal.Resume`. */
export async function teloResume(journal: DurableJournal, run: string, reason: string): Promise<boolean> {
  const at = Date.now();
  await journal.append(run, {
    path: `override/resume/${at}`,
    kind: 'decision',
    decision: 'value',
    value: { reason, at },
  });
  await journal.unparkRun(run);
  return true;
}

/** `DurableLocal.Cancel`. */
export async function teloCancel(journal: DurableJournal, run: string, reason: string): Promise<void> {
  await journal.completeRun(run, {
    status: 'cancelled',
    error: { code: 'ERR_DURABLE_RUN_CANCELLED', message: reason },
  });
}

function teloHandle(journal: DurableJournal, run: string, entries: Map<string, JournalEntry>): DurableRunHandle {
  const record = async (entry: JournalEntry): Promise<unknown> => {
    const stored = await journal.append(run, entry);
    entries.set(entry.path, stored);
    return stored.value;
  };
  return {
    runId: run,
    step: async (path, target, _inputs, execute) => {
      const found = entries.get(path);
      if (found !== undefined) return found.value;
      const value = await execute();
      return record({ path, kind: 'step', value, ...(target === undefined ? {} : { target }) });
    },
    decide: async (path, kind, compute) => {
      const found = entries.get(path);
      const value =
        found === undefined ? await record({ path, kind: 'decision', decision: kind, value: compute() }) : found.value;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value on record, verbatim
      return value as Awaited<ReturnType<typeof compute>>;
    },
    park: async ({ path, resource }, { at, token }) => {
      await journal.parkRun(run, {
        path,
        resource,
        ...(at === undefined ? {} : { at }),
        ...(token === undefined ? {} : { token }),
      });
      throw new DurableSuspension(run, { path, resource }, {});
    },
    writesInside: (zone) => journal.writesInside?.(zone) ?? false,
  };
}
