import type { DurableRunHandle } from '@telorun/sdk';
import { deriveContext, isCancellationError } from '@telorun/sdk';
import type { Execution } from '../../../conformance/index.ts';
import { memoryHandle } from '../memory-backend.ts';
import type { Defect } from './defective.ts';

type Opened = ReturnType<NonNullable<Execution['openZones']>>;

/** Changes what is told of the open zones. */
function zonesTold(change: (zones: Opened, open: number) => Opened): NonNullable<Defect['execution']> {
  return (execution) => ({
    ...execution,
    openZones: (context) => change(execution.openZones?.(context) ?? [], context.zones?.length ?? 0),
  });
}

/** Workflows, and what answers and lists from outside, that do one thing wrong. */
export const brokenWorkflows: readonly Defect[] = [
  {
    name: 'admits a run with its first settlement only',
    place: (place) => ({
      status: async (run) => {
        const status = await place.status?.(run);
        return status === 'running' ? undefined : status;
      },
    }),
    found: ['N1-admitted'],
  },
  {
    name: 'executes a settled run again',
    place: (place, memory) => ({
      execute: async (run, body, caller) => {
        const times = Number(memory.get(run) ?? 0);
        const ended = await place.execute(times === 0 ? run : `${run}#${times}`, body, caller);
        if (ended.status === 'completed' || ended.status === 'failed') memory.set(run, times + 1);
        return ended;
      },
    }),
    found: ['N1-settled', 'N7-failure', 'S3-recorded-first'],
  },
  {
    name: 'starts a body in the zones of its caller',
    execution: (execution, caller) => ({
      ...execution,
      context: deriveContext(execution.context, {
        zones: [...(caller?.zones ?? []), ...(execution.context.zones ?? [])],
      }),
    }),
    found: ['N3-outside'],
  },
  { name: 'opens no zone that is replayed', execution: zonesTold(() => []), found: ['N4-replayed', 'N6-detaching'] },
  {
    name: 'hides the replayed zone from inside another',
    execution: zonesTold((zones, open) => (open > 1 ? [] : zones)),
    found: ['N6-detaching'],
  },
  {
    name: 'opens a body where it may not wait',
    execution: zonesTold((zones) =>
      zones.map((zone) => ({ ...zone, attributes: { replayed: 'yes', noSuspend: 'a body never waits' } })),
    ),
    found: ['S5-may-wait', 'S8-parks'],
  },
  {
    name: 'forgets the code of a failure',
    place: (place) => ({
      execute: async (run, body, caller) => {
        const { error, ...ended } = await place.execute(run, body, caller);
        return error === undefined ? ended : { ...ended, error: { code: 'INTERNAL_ERROR', message: error.message } };
      },
    }),
    found: ['N7-failure'],
  },
  {
    name: 'fails a run that was cancelled',
    place: (place) => ({
      execute: (run, body, caller) =>
        place.execute(
          run,
          async (execution) => {
            try {
              return await body(execution);
            } catch (error) {
              throw isCancellationError(error) ? new Error('cancelled') : error;
            }
          },
          caller,
        ),
    }),
    found: ['N7-cancelled'],
  },
  {
    name: 'settles a run whose body swallowed a park',
    place: (place) => ({
      execute: async (run, body, caller) => {
        const ended = await place.execute(run, body, caller);
        return ended.problem?.code === 'ERR_DURABLE_SUSPENSION_SWALLOWED' ? { status: 'completed', result: 1 } : ended;
      },
    }),
    found: ['S3-swallowed'],
  },
  {
    name: 'shares one handle between the executions of a run',
    place: (place) => {
      let shared: DurableRunHandle | undefined;
      return {
        execute: (run, body, caller) =>
          place.execute(
            run,
            (execution) => {
              shared ??= execution.context.durable;
              return body({ ...execution, context: deriveContext(execution.context, { durable: shared }) });
            },
            caller,
          ),
      };
    },
    found: [
      'N3-outside',
      'S1-interrupted',
      'S1-runs',
      'S3-handle',
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S4-decision-lost',
      'S4-in-flight',
      'S6-first',
      'S8-survives',
      'S8-parks',
      'S9-waits',
    ],
  },
  {
    name: 'opens an empty place as another process',
    place: () => ({ reopen: () => memoryHandle.open() }),
    found: ['N0-elsewhere', 'S3-elsewhere'],
  },
  {
    name: 'says of every open run that it is running',
    place: (place) => ({
      status: async (run) => {
        const status = await place.status?.(run);
        return status === 'parked' ? 'running' : status;
      },
    }),
    found: ['S3-status'],
  },
  {
    name: 'says that it took every answer',
    place: (place) => ({
      deliver: async (run, path, value) => {
        await place.deliver?.(run, path, value);
        return true;
      },
    }),
    found: ['S3-answered-once', 'S3-nobody-waits'],
  },
  {
    name: 'takes answers of parked runs only',
    place: (place) => ({
      deliver: async (run, path, value) =>
        (await place.status?.(run)) === 'parked' && (await place.deliver?.(run, path, value)) === true,
    }),
    found: ['S3-recorded-first'],
  },
  {
    name: 'takes an empty answer for none',
    place: (place) => ({
      deliver: async (run, path, value) => Boolean(value) && (await place.deliver?.(run, path, value)) === true,
    }),
    found: ['S3-any-answer'],
  },
  {
    name: 'loses the second wait of a run',
    place: (place) => ({
      deliver: async (run, path, value) =>
        !path.includes('[1]/ask') && (await place.deliver?.(run, path, value)) === true,
    }),
    found: ['S9-waits'],
  },
  {
    name: 'lets the second answer of a wait win',
    place: (place, memory) => ({
      deliver: async (run, path, value) => {
        const known = memory.has(`${run} ${path}`);
        memory.set(`${run} ${path}`, value);
        return (await place.deliver?.(run, path, value)) === true || known;
      },
    }),
    found: ['S3-answered-once', 'S3-nobody-waits'],
  },
  {
    name: 'lists records by path',
    place: (place) => ({
      entries: async (run) =>
        [...((await place.entries?.(run)) ?? [])].toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    }),
    found: ['S1-order', 'S2-listed', 'S7-golden', 'S8-sleeps', 'S9-order'],
  },
];
