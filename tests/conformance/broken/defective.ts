import type { DurableRunHandle, InvokeContext } from '@telorun/sdk';
import { deriveContext, parkRun } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import type { Backend, Execution, Place, StorePlace } from '../../../conformance/index.ts';
import { journalBackend } from '../../../conformance/index.ts';
import { MemoryStore } from '../../support/memory-journal.ts';

/** One thing that a backend does wrong. Members replace those of the sound one beside them. */
export interface Defect {
  readonly name: string;
  readonly handle?: (handle: DurableRunHandle, memory: Map<string, unknown>) => Partial<DurableRunHandle>;
  readonly journal?: (journal: FencedJournal, memory: Map<string, unknown>) => Partial<FencedJournal>;
  readonly place?: (place: Place, memory: Map<string, unknown>) => Partial<Place>;
  readonly execution?: (execution: Execution, caller: InvokeContext | undefined) => Execution;
  /** Whether the cases of Evaluate are tried, too. */
  readonly evaluates?: true;
  /** Exactly the cases that find it. */
  readonly found: readonly string[];
}

/** The same object with some members replaced. */
function replaced<T extends object>(sound: T, members: Partial<T>): T {
  return new Proxy(sound, {
    get: (target, key): unknown => {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    has: (target, key) => Object.hasOwn(members, key) || Reflect.has(target, key),
  });
}

/** A backend that is sound but for its defect: the embedded kernel over a journal in memory. */
export function defective(defect: Defect): Backend {
  return {
    name: defect.name,
    cannot: [],
    open: async () => {
      const memory = new Map<string, unknown>();
      const sound = await journalBackend({ name: defect.name, open: async () => store(defect, memory) }).open();
      return placeOf(sound, defect, memory);
    },
  };
}

function store(defect: Defect, memory: Map<string, unknown>): StorePlace {
  const runs = new MemoryStore();
  return {
    connect: async () => {
      const journal = runs.connect();
      return defect.journal === undefined ? journal : replaced<FencedJournal>(journal, defect.journal(journal, memory));
    },
    tear: async (run) => {
      const entries = runs.runs.get(run)?.entries;
      const last = [...(entries?.keys() ?? [])].at(-1);
      if (last !== undefined) entries?.delete(last);
    },
    dispose: () => undefined,
  };
}

function placeOf(sound: Place, defect: Defect, memory: Map<string, unknown>): Place {
  const place = replaced<Place>(sound, {
    execute: (run, body, caller) =>
      sound.execute(run, (execution) => body(executionOf(execution, defect, { memory, caller })), caller),
    ...(sound.reopen === undefined
      ? {}
      : { reopen: async () => placeOf((await sound.reopen?.()) ?? sound, defect, memory) }),
  });
  return defect.place === undefined ? place : replaced(place, defect.place(place, memory));
}

function executionOf(
  execution: Execution,
  defect: Defect,
  { memory, caller }: { memory: Map<string, unknown>; caller: InvokeContext | undefined },
): Execution {
  const sound = execution.context.durable;
  if (sound === undefined) throw new TypeError('a body has a handle');
  // The latch belongs to the sound handle, which its workflow reads.
  const handle =
    defect.handle === undefined
      ? sound
      : replaced<DurableRunHandle>(sound, {
          park: (where, until) => parkRun(sound, where, until),
          ...defect.handle(sound, memory),
        });
  const given = { ...execution, context: deriveContext(execution.context, { durable: handle }) };
  return defect.execution === undefined ? given : defect.execution(given, caller);
}
