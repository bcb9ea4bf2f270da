import type { DurableRunHandle } from '@telorun/sdk';
import { isSuspension, passesUncaught } from '@telorun/sdk';
import type { Defect } from './defective.ts';

type Step = DurableRunHandle['step'];
type Decide = DurableRunHandle['decide'];

function rewriting(change: (path: string) => string): NonNullable<Defect['handle']> {
  return (handle) => ({
    step: (path, ...rest) => handle.step(change(path), ...rest),
    decide: (path, kind, compute) => handle.decide(change(path), kind, compute),
    recorded: (path) => handle.recorded?.(change(path)) ?? false,
  });
}

/** Changes what is recorded, of effects and decisions. */
function changing(change: (value: unknown) => unknown): NonNullable<Defect['handle']> {
  return (handle) => ({
    step: (path, target, inputs, execute) => handle.step(path, target, inputs, async () => change(await execute())),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrong on purpose
    decide: (path, kind, compute) => handle.decide(path, kind, () => change(compute()) as ReturnType<typeof compute>),
  });
}

function mapped(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapped(member, change)]));
}

function parked(): boolean {
  return true;
}

/** Handles that do one thing wrong. */
export const brokenHandles: readonly Defect[] = [
  {
    name: 'performs again what is on record',
    handle: (handle) => ({
      step: async (path, target, inputs, execute) => {
        if (handle.recorded?.(path) === true) return execute();
        return handle.step(path, target, inputs, execute);
      },
    }),
    evaluates: true,
    found: [
      'N5-local',
      'N7-cancelled',
      'N0-elsewhere',
      'S1-replay',
      'S1-mismatch',
      'S1-omitted',
      'S1-path',
      'S1-twice',
      'S1-first-writer',
      'S1-falsy',
      'S1-runs',
      'S3-waits-again',
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S3-elsewhere',
      'S6-first',
      'S6-copied',
      'S7-resumes',
      'S7-exact',
      'S9-siblings',
      'S9-waits',
      'S9-own',
      'R1-read',
      'R1-inside',
      'R2-write',
      'R4-killed',
      'R5-policy',
      'R7-replay',
      'R8-moved',
    ],
  },
  {
    name: 'performs each effect twice',
    handle: (handle) => ({
      step: (path, target, inputs, execute) =>
        handle.step(path, target, inputs, async () => {
          await execute();
          return execute();
        }),
    }),
    evaluates: true,
    found: [
      'N2-dispatch',
      'N5-local',
      'S1-replay',
      'S1-failure',
      'S1-falsy',
      'S3-waits-again',
      'S3-answer',
      'S3-elsewhere',
      'S4-lost-passes',
      'S7-golden',
      'S8-sleeps',
      'S8-survives',
      'S8-parks',
      'S9-siblings',
      'S9-waits',
      'R1-read',
      'R1-inside',
      'R3-order',
      'R4-killed',
      'R5-policy',
      'R7-replay',
      'R8-moved',
    ],
  },
  {
    name: 'records effects at the end of the execution only',
    handle: () => ({ step: ((_path, _target, _inputs, execute) => execute()) satisfies Step }),
    evaluates: true,
    found: [
      'N5-local',
      'N7-cancelled',
      'N0-elsewhere',
      'S1-replay',
      'S1-mismatch',
      'S1-omitted',
      'S1-path',
      'S1-twice',
      'S1-first-writer',
      'S1-falsy',
      'S1-runs',
      'S1-order',
      'S1-recorded',
      'S2-listed',
      'S3-waits-again',
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S3-elsewhere',
      'S4-taken-over',
      'S4-in-flight',
      'S4-ever-after',
      'S4-lost-passes',
      'S6-first',
      'S6-copied',
      'S6-refused',
      'S6-lossy',
      'S7-golden',
      'S7-resumes',
      'S7-exact',
      'S8-sleeps',
      'S9-siblings',
      'S9-waits',
      'S9-order',
      'S9-own',
      'R1-read',
      'R1-inside',
      'R2-write',
      'R3-order',
      'R4-killed',
      'R5-policy',
      'R7-replay',
      'R8-moved',
    ],
  },
  {
    name: 'records what failed as a failure',
    handle: (handle) => ({
      step: async (path, target, inputs, execute) => {
        const answer = await handle.step(path, target, inputs, async () => {
          try {
            return await execute();
          } catch (error) {
            if (passesUncaught(error)) throw error;
            return { recordedFailure: String(error) };
          }
        });
        if (Object.hasOwn(Object(answer), 'recordedFailure'))
          throw new Error(String(Reflect.get(Object(answer), 'recordedFailure')));
        return answer;
      },
    }),
    found: ['N2-dispatch', 'S1-failure', 'S7-golden', 'S7-resumes', 'S8-sleeps', 'S8-survives', 'S8-parks'],
  },
  {
    name: 'wraps the failure of an effect in an error of its own',
    handle: (handle) => ({
      step: async (path, target, inputs, execute) => {
        try {
          return await handle.step(path, target, inputs, execute);
        } catch (error) {
          if (passesUncaught(error)) throw error;
          throw new Error('the step failed', { cause: error });
        }
      },
    }),
    found: ['N2-dispatch', 'S1-failure', 'S1-mismatch', 'S6-refused', 'S6-lossy'],
  },
  {
    name: 'ignores that another target is recorded',
    handle: (handle) => ({ step: (path, _target, inputs, execute) => handle.step(path, undefined, inputs, execute) }),
    found: ['S1-mismatch', 'S7-golden'],
  },
  {
    name: 'takes an omitted target for another one',
    handle: (handle) => ({
      step: (path, target, inputs, execute) =>
        handle.step(path, target ?? { kind: 'Test.Omitted', name: 'omitted' }, inputs, execute),
    }),
    found: ['S1-omitted'],
  },
  {
    name: 'finds records by the order of calls',
    handle: (handle) => {
      let calls = 0;
      const next = (): string => `steps/${(calls += 1)}`;
      return {
        step: (_path, ...rest) => handle.step(next(), ...rest),
        decide: (_path, kind, compute) => handle.decide(next(), kind, compute),
      };
    },
    found: [
      'S1-mismatch',
      'S1-path',
      'S1-twice',
      'S1-first-writer',
      'S1-order',
      'S1-recorded',
      'S2-listed',
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S3-elsewhere',
      'S4-decision-lost',
      'S4-ever-after',
      'S6-refused',
      'S6-lossy',
      'S7-golden',
      'S7-resumes',
      'S8-sleeps',
      'S8-survives',
      'S8-parks',
      'S9-waits',
      'S9-order',
      'S9-own',
    ],
  },
  {
    name: 'takes paths that differ in case for one',
    handle: rewriting((path) => path.toLowerCase()),
    found: ['S7-golden', 'S7-exact'],
  },
  {
    name: 'escapes paths once more',
    handle: rewriting((path) => path.replaceAll('[', '%5B')),
    found: ['S1-order', 'S7-golden', 'S8-sleeps', 'S9-waits', 'S9-order'],
  },
  {
    name: 'takes an empty record for none',
    handle: (handle, memory) => ({
      step: async (path, target, inputs, execute) => {
        const key = `${handle.runId} ${path}`;
        if (memory.has(key)) return memory.get(key) || execute();
        const value = await handle.step(path, target, inputs, execute);
        memory.set(key, value);
        return value;
      },
    }),
    evaluates: true,
    found: ['S1-mismatch', 'S1-falsy', 'S7-resumes'],
  },
  {
    name: 'lets the last writer of a path win',
    handle: (handle, memory) => ({
      step: async (path, target, inputs, execute) => {
        const key = `${handle.runId} ${path}`;
        if (memory.has(key)) return memory.get(key);
        const value = await execute();
        const kept = await handle.step(path, target, inputs, async () => value);
        memory.set(key, value);
        return kept;
      },
    }),
    found: [
      'S1-mismatch',
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S3-elsewhere',
      'S4-taken-over',
      'S6-first',
      'S6-copied',
      'S9-waits',
    ],
  },
  {
    name: 'shares the records of one run with all others',
    handle: (handle, memory) => ({
      step: async (path, target, inputs, execute) => {
        if (!memory.has(path)) memory.set(path, await handle.step(path, target, inputs, execute));
        return memory.get(path);
      },
    }),
    found: ['S1-mismatch', 'S1-runs', 'S3-any-answer', 'S9-waits'],
  },
  {
    name: 'tells of no path that it is on record',
    handle: () => ({ recorded: () => false }),
    found: ['S1-recorded', 'S8-survives', 'S8-parks'],
  },
  {
    name: 'tells of a path that it is on record when one below it is',
    handle: (handle) => {
      const seen: string[] = [];
      return {
        step: (path, ...rest) => {
          seen.push(path);
          return handle.step(path, ...rest);
        },
        recorded: (path) => handle.recorded?.(path) === true || seen.some((known) => known.startsWith(`${path}/`)),
      };
    },
    found: ['S1-recorded'],
  },
  {
    name: 'computes a decision each time',
    handle: () => ({ decide: (async (_path, _kind, compute) => compute()) satisfies Decide }),
    evaluates: true,
    found: [
      'S2-once',
      'S2-kinds',
      'S2-listed',
      'S2-before',
      'S2-falsy',
      'S4-decision-lost',
      'S4-ever-after',
      'S6-first',
      'S6-refused',
      'S6-lossy',
      'S7-golden',
      'S8-sleeps',
      'S8-survives',
      'S8-parks',
      'R3-order',
      'R5-policy',
      'R8-moved',
    ],
  },
  {
    name: 'computes a decision twice',
    handle: (handle) => ({
      decide: (path, kind, compute) => {
        if (handle.recorded?.(path) !== true) compute();
        return handle.decide(path, kind, compute);
      },
    }),
    found: ['S2-kinds', 'S2-falsy', 'S7-golden'],
  },
  {
    name: 'records every decision as a value',
    handle: (handle) => ({ decide: (path, _kind, compute) => handle.decide(path, 'value', compute) }),
    found: ['S2-listed', 'S7-golden'],
  },
  {
    name: 'records what a failed computation threw',
    handle: (handle) => ({
      decide: async (path, kind, compute) => {
        let thrown: unknown;
        const value = await handle.decide<unknown>(path, kind, () => {
          try {
            return compute();
          } catch (error) {
            thrown = error;
            return 'failed';
          }
        });
        if (thrown !== undefined) throw thrown;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrong on purpose
        return value as ReturnType<typeof compute>;
      },
    }),
    found: ['S2-throws'],
  },
  {
    name: 'takes an empty decision for none',
    handle: (handle, memory) => ({
      decide: async (path, kind, compute) => {
        const key = `${handle.runId} ${path}`;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrong on purpose
        if (memory.has(key)) return (memory.get(key) || compute()) as ReturnType<typeof compute>;
        const value = await handle.decide(path, kind, compute);
        memory.set(key, value);
        return value;
      },
    }),
    found: ['S2-kinds', 'S2-falsy', 'S6-first'],
  },
  {
    name: 'swallows a suspension on its way out of a step',
    handle: (handle) => ({
      step: async (path, target, inputs, execute) => {
        try {
          return await handle.step(path, target, inputs, execute);
        } catch (error) {
          if (isSuspension(error)) return undefined;
          throw error;
        }
      },
    }),
    evaluates: true,
    found: [
      'S3-parks',
      'S3-status',
      'S3-swallowed',
      'S3-waits-again',
      'S3-recorded-first',
      'S4-suspension',
      'S9-siblings',
      'S9-waits',
      'R1-read',
      'R1-inside',
      'R5-policy',
    ],
  },
  {
    name: 'makes a suspension an error that can be caught',
    handle: (handle) => ({
      step: async (path, target, inputs, execute) => {
        try {
          return await handle.step(path, target, inputs, execute);
        } catch (error) {
          if (isSuspension(error)) throw new Error('parked', { cause: error });
          throw error;
        }
      },
    }),
    found: ['S3-parks', 'S3-status', 'S3-waits-again', 'S4-suspension', 'S9-siblings', 'S9-waits'],
  },
  {
    name: 'stops the siblings of a branch that parked',
    handle: (handle) => {
      let stopped: unknown;
      return {
        step: async (path, target, inputs, execute) => {
          if (stopped !== undefined) throw stopped;
          try {
            return await handle.step(path, target, inputs, execute);
          } catch (error) {
            if (isSuspension(error)) stopped = error;
            throw error;
          }
        },
      };
    },
    found: ['S9-siblings'],
  },
  {
    name: 'attests that its records commit inside every zone',
    handle: () => ({ writesInside: parked }),
    found: ['S5-atomic'],
  },
  {
    name: 'throws when it is told how a zone resolved',
    handle: () => ({
      noteZoneMode: () => {
        throw new Error('not listening');
      },
    }),
    found: ['S5-idempotent', 'S5-atomic', 'S5-noted'],
  },
  {
    name: 'answers the live value first',
    handle: (handle) => ({
      step: async (path, target, inputs, execute) => {
        let live: { readonly value: unknown } | undefined;
        const kept = await handle.step(path, target, inputs, async () => {
          live = { value: await execute() };
          return live.value;
        });
        return live === undefined ? kept : live.value;
      },
    }),
    found: ['S6-first'],
  },
  {
    name: 'rounds integers to a double',
    handle: changing((value) => mapped(value, (leaf) => (typeof leaf === 'bigint' ? Number(leaf) : leaf))),
    found: ['S6-bigint', 'S6-refused'],
  },
  {
    name: 'trims texts',
    handle: changing((value) => mapped(value, (leaf) => (typeof leaf === 'string' ? leaf.trim() : leaf))),
    evaluates: true,
    found: ['S6-refused', 'S7-exact', 'R1-read', 'R6-empty'],
  },
  {
    name: 'writes down what JSON makes of a value',
    handle: changing((value) => {
      try {
        return JSON.parse(JSON.stringify(value) ?? 'null');
      } catch {
        return null;
      }
    }),
    found: ['S1-falsy', 'S2-falsy', 'S6-plain', 'S6-bigint', 'S6-refused', 'S6-lossy'],
  },
  {
    name: 'keeps the live value in place of a copy',
    handle: (handle, memory) => ({
      step: async (path, target, inputs, execute) => {
        const key = `${handle.runId} ${path}`;
        if (!memory.has(key)) {
          await handle.step(path, target, inputs, async () => {
            const value = await execute();
            memory.set(key, value);
            return value;
          });
        }
        return memory.get(key);
      },
    }),
    found: [
      'S1-mismatch',
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S3-elsewhere',
      'S4-in-flight',
      'S6-first',
      'S6-copied',
      'S6-refused',
      'S6-lossy',
      'S9-waits',
    ],
  },
  {
    name: 'ships a declared target in place of performing it here',
    handle: (handle) => ({
      step: (path, target, inputs, execute) =>
        handle.step(path, target, inputs, target === undefined ? execute : async () => ({ shipped: target.name })),
    }),
    found: [
      'N2-dispatch',
      'N5-local',
      'S1-replay',
      'S1-interrupted',
      'S1-failure',
      'S1-mismatch',
      'S1-omitted',
      'S1-twice',
      'S1-first-writer',
      'S4-suspension',
      'S4-lost-passes',
      'S7-golden',
      'S8-sleeps',
      'S8-survives',
      'S8-parks',
    ],
  },
];
