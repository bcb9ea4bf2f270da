import type { InvokeContext } from '@telorun/sdk';
import { createCancellationSource } from '@telorun/sdk';
import type { FencedJournal, JournalEntry, RunStatus } from '@telorun/sdk/journal';
import { executeRun } from '../kernel/durable/execution.ts';
import type { Backend, Ended, Execution, Place } from './backend.ts';
import type { Capability } from './capabilities.ts';
import { resourceContext } from './host/resource-context.ts';

/** A place where journals of one store meet, as processes meet at a file. */
export interface StorePlace {
  /** A journal of its own, as another process would open it. */
  connect(): Promise<FencedJournal>;
  /** Damages what is stored of a run, as a power cut inside its last write could. Absent: capability `tearing`. */
  tear?(run: string): Promise<void>;
  /** Removes what is stored. Every journal is closed before. */
  dispose(): Promise<void> | void;
}

/** A journal store as the suite sees it. */
export interface StoreUnderTest {
  readonly name: string;
  readonly cannot?: readonly Capability[];
  /** An empty store, for one case. */
  open(): Promise<StorePlace>;
}

/** Every execution claims as the same holder, so that it takes a run over from one that counts as dead. */
const HOLDER = 'conformance';
const CLAIM_MS = 60_000;
const REPLAYED = 'Its steps are answered from the journal when the run goes on.';

/**
 * A backend over a journal: the store under test remembers, the embedded kernel executes. Pure.
 *
 * @see docs/conformance.md
 */
export function journalBackend(store: StoreUnderTest): Backend {
  return {
    name: store.name,
    cannot: store.cannot ?? [],
    open: async () => {
      const place = await store.open();
      return new JournalPlace(place, () => place.dispose());
    },
  };
}

class JournalPlace implements Place {
  readonly tear?: (run: string) => Promise<void>;
  readonly #store: StorePlace;
  readonly #dispose: () => Promise<void> | void;
  readonly #closings: (() => Promise<void> | void)[] = [];

  constructor(store: StorePlace, dispose: () => Promise<void> | void) {
    this.#store = store;
    this.#dispose = dispose;
    if (store.tear !== undefined) this.tear = store.tear.bind(store);
  }

  async execute(
    run: string,
    body: (execution: Execution) => Promise<unknown>,
    _caller?: InvokeContext,
  ): Promise<Ended> {
    const journal = await this.journal();
    await journal.admitRun(run, { inputs: {} });
    if (!(await journal.claimRun(run, HOLDER, CLAIM_MS))) return standing(journal, run);
    const host = resourceContext({
      kind: 'DurableLocal.Workflow',
      name: 'conformance',
      zones: { steps: { replayed: REPLAYED } },
    });
    return executeRun({
      run,
      workflow: 'conformance',
      journal,
      holder: HOLDER,
      context: Object.assign(host, {
        kernel: {
          emit: () => undefined,
          program: () => ({ manifest: 'telo.yaml', workflow: 'conformance', digest: 'sha256:conformance' }),
          now: Date.now,
        },
      }),
      source: createCancellationSource(),
      inputs: () => ({}),
      body: (_inputs, context) => body({ context, openZones: (open) => host.zoneAttributes?.(open) ?? [] }),
    });
  }

  async entries(run: string): Promise<readonly JournalEntry[]> {
    return (await this.journal()).readEntries(run);
  }

  async status(run: string): Promise<RunStatus | undefined> {
    return (await (await this.journal()).readRun(run))?.status;
  }

  async deliver(run: string, path: string, value: unknown): Promise<boolean> {
    return (await (await this.journal()).answer({ run, path }, value)).delivered;
  }

  async reopen(): Promise<Place> {
    const reopened = new JournalPlace(this.#store, () => undefined);
    this.#closings.push(() => reopened.close());
    return reopened;
  }

  async journal(): Promise<FencedJournal> {
    const journal = await this.#store.connect();
    this.#closings.push(() => journal.close());
    return journal;
  }

  async close(): Promise<void> {
    for (const close of this.#closings.splice(0).toReversed()) await close();
    await this.#dispose();
  }
}

/** A run that takes no claim is settled. */
async function standing(journal: FencedJournal, run: string): Promise<Ended> {
  const record = await journal.readRun(run);
  if (record === undefined) throw new TypeError(`Run "${run}" was admitted and is not known`);
  const { status, problem, error } = record;
  return {
    status,
    ...('result' in record ? { result: record.result } : {}),
    ...(error === undefined ? {} : { error }),
    ...(problem === undefined ? {} : { problem }),
  };
}
