import {
  assertNotSwallowed,
  deriveContext,
  isCancellationError,
  isSuspension,
  UNCANCELLABLE_CONTEXT,
} from '@telorun/sdk';
import type { ZoneEntry } from '@telorun/sdk';
import type { JournalEntry, RunStatus } from '@telorun/sdk/journal';
import type { Backend, Ended, Execution, Place } from '../../conformance/index.ts';
import { toRunError } from '../../kernel/durable/errors.ts';
import { isTerminal } from '../../kernel/durable/settlement.ts';
import { MemoryRun } from '../support/memory-handle.ts';

interface Run {
  readonly run: MemoryRun;
  ended: Ended;
}

/** Runs in memory, each executed by a workflow of a few lines. */
class MemoryPlace implements Place {
  readonly #runs: Map<string, Run>;

  constructor(runs = new Map<string, Run>()) {
    this.#runs = runs;
  }

  async execute(run: string, body: (execution: Execution) => Promise<unknown>): Promise<Ended> {
    const known = this.#runs.get(run) ?? { run: new MemoryRun({ runId: run }), ended: { status: 'running' } };
    this.#runs.set(run, known);
    if (!isTerminal(known.ended.status)) known.ended = await executeOnce(known.run, body);
    return known.ended;
  }

  async entries(run: string): Promise<readonly JournalEntry[]> {
    const known = this.#runs.get(run)?.run;
    return [...(known?.entries.values() ?? [])].map(({ text, ...entry }) =>
      text === undefined ? entry : Object.assign(entry, { value: known?.value(entry.path) }),
    );
  }

  async status(run: string): Promise<RunStatus | undefined> {
    return this.#runs.get(run)?.ended.status;
  }

  async deliver(run: string, path: string, value: unknown): Promise<boolean> {
    const known = this.#runs.get(run);
    if (known === undefined || isTerminal(known.ended.status)) return false;
    return known.run.deliver(path, value);
  }

  async reopen(): Promise<Place> {
    return new MemoryPlace(this.#runs);
  }

  async close(): Promise<void> {
    this.#runs.clear();
  }
}

async function executeOnce(run: MemoryRun, body: (execution: Execution) => Promise<unknown>): Promise<Ended> {
  const handle = run.open();
  const entry: ZoneEntry = { kind: 'Memory.Workflow', provider: run };
  const zone = { kind: entry.kind, entry, attributes: { replayed: 'Its steps are answered from memory.' } };
  try {
    const result = await body({
      context: deriveContext(UNCANCELLABLE_CONTEXT, { durable: handle, zones: [entry] }),
      openZones: ({ zones }) => (zones?.includes(entry) === true ? [zone] : []),
    });
    assertNotSwallowed(handle);
    return { status: 'completed', result };
  } catch (error) {
    // How a body ends is told, never thrown.
    if (isSuspension(error)) return { status: 'parked' };
    const problem = toRunError(error);
    const open = isCancellationError(error) || problem.code === 'ERR_DURABLE_SUSPENSION_SWALLOWED';
    return open ? { status: 'running', problem } : { status: 'failed', error: problem };
  }
}

export const memoryHandle: Backend = {
  name: 'the handle in memory',
  cannot: ['fencing', 'store', 'tearing'],
  open: async () => new MemoryPlace(),
};
