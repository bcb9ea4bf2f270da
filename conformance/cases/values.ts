import { Stream } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import { dataOf, equal, matches, refuses, times } from '../expect.ts';
import type { Acting, Stage } from '../stage.ts';
import { RUN } from '../stage.ts';

interface Kept {
  readonly name: string;
  readonly live: unknown;
  readonly kept: unknown;
}

const same = (name: string, value: unknown): Kept => ({ name, live: value, kept: value });

/** What every journal keeps as it is. */
const PLAIN: readonly Kept[] = [
  same('nothing', undefined),
  same('a nested value', { a: [1, { b: null }, 'c'], d: { e: true } }),
  same('numbers', [0, 1.5, -7, 1e300, 5e-324, Number.MAX_SAFE_INTEGER]),
  same('text', 'line\nline\r\n\ttab "quoted" \\ \u0000 \u2028 é 😀'),
  same('members with odd names', JSON.parse('{"": 1, "__proto__": 2, "a/b": 3, "10": 4, "9": 5}')),
  same('data that looks like a tag', [{ $bigint: '5' }, { $$bigint: 'x' }, { $bigint: 'five' }, { $bigint: { a: 1 } }]),
  same('data that looks like a record', { path: 'steps/a', kind: 'step', value: 1 }),
  same('a long text', 'x'.repeat(1_000_000)),
];

/** What a journal writes down as something else: the first answer is what was written. */
const CHANGED: readonly Kept[] = [
  { name: 'a date', live: new Date(0), kept: '1970-01-01T00:00:00.000Z' },
  { name: 'an undefined member', live: { a: 1, b: undefined }, kept: { a: 1 } },
];

const BIG: readonly Kept[] = [
  same('an integer beyond a double', 9_007_199_254_740_993n),
  same('integers inside', { list: [-1n, { deep: 10n ** 30n }], plain: 1 }),
];

const UNKEEPABLE: readonly (readonly [string, () => unknown])[] = [
  ['a live stream', () => new Stream((async function* () {})())],
  ['a live stream inside', () => ({ a: [new Stream((async function* () {})())] })],
  ['a cycle', cycle],
];

const LOSSY: readonly (readonly [string, () => unknown])[] = [
  ['a function', () => ({ f: () => 1 })],
  ['NaN', () => [Number.NaN]],
  ['infinity', () => Number.POSITIVE_INFINITY],
  ['a Map', () => ({ m: new Map([[1, 2]]) })],
  ['a symbol', () => Symbol('s')],
];

function cycle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = { value };
  return value;
}

/** Gives each value to an effect and to a decision, in two executions; each must be answered as kept. */
async function survives(stage: Stage, values: readonly Kept[]): Promise<void> {
  for (const execution of ['the first execution', 'a replay']) {
    await stage.killed(async ({ handle, pause }) => {
      for (const [index, { name, live, kept }] of values.entries()) {
        const step = await handle.step(`steps/each[${index}]`, undefined, {}, async () => live);
        equal(step, kept, `${name}, answered to an effect in ${execution}`);
        const decision: unknown = await handle.decide(`steps/each[${index}]/value`, 'value', () => live);
        equal(decision, kept, `${name}, answered to a decision in ${execution}`);
      }
      await pause();
    });
  }
}

/** Each value is refused where it is recorded, with run and path, and leaves nothing behind. */
async function refused(stage: Stage, values: readonly (readonly [string, () => unknown])[]): Promise<void> {
  const ended = await stage.execute(async ({ handle }) => {
    for (const [name, make] of values) {
      for (const record of [asEffect, asDecision]) {
        const error = await refuses(() => record(handle, make), 'ERR_DURABLE_UNJOURNALABLE_VALUE', name);
        matches(dataOf(error), { run: RUN, path: 'steps/a' }, `data of the refusal of ${name}`);
      }
    }
    return handle.step('steps/a', undefined, {}, async () => 'plain');
  });
  matches(ended, { status: 'completed', result: 'plain' }, 'a value that can be kept, at the same path');
}

function asEffect(handle: Acting['handle'], make: () => unknown): Promise<unknown> {
  return handle.step('steps/a', undefined, {}, async () => make());
}

function asDecision(handle: Acting['handle'], make: () => unknown): Promise<unknown> {
  return handle.decide('steps/a', 'value', make);
}

/** S6: values. */
export const values: readonly CaseDefinition[] = [
  {
    id: 'S6-plain',
    title: 'gives plain values back as they were, to effects and to decisions',
    needs: [],
    run: (stage) => survives(stage, PLAIN),
  },
  {
    id: 'S6-bigint',
    title: 'gives integers beyond a double back as they were',
    needs: ['bigint'],
    run: (stage) => survives(stage, BIG),
  },
  {
    id: 'S6-first',
    title: 'answers a first execution what a replay is answered: the record, decoded',
    needs: ['decoded'],
    run: async (stage) => {
      await survives(stage, CHANGED);
      const zeros: unknown[] = [];
      await times(2, async () => {
        await stage.killed(async ({ handle, pause }) => {
          zeros.push(await handle.step('steps/zero', undefined, {}, async () => [-0, { z: -0 }]));
          zeros.push(await handle.decide('steps/zero/value', 'value', () => -0));
          await pause();
        });
      });
      equal(zeros.slice(0, 2), zeros.slice(2), 'a negative zero, answered first and answered in a replay');
    },
  },
  {
    id: 'S6-copied',
    title: 'answers a value of its own: what a caller does to it reaches no record and no other caller',
    needs: ['decoded'],
    run: async (stage) => {
      const live = { list: [1] };
      await stage.killed(async ({ handle, pause }) => {
        await handle.step('steps/a', undefined, {}, async () => live);
        live.list.push(2);
        await pause();
      });
      const ended = await stage.execute(({ handle }) => handle.step('steps/a', undefined, {}, async () => 'again'));
      matches(ended, { status: 'completed', result: { list: [1] } }, 'a value that was changed after it was recorded');
    },
  },
  {
    id: 'S6-refused',
    title: 'refuses what cannot be written down, with run and path, and records nothing',
    needs: [],
    run: (stage) => refused(stage, UNKEEPABLE),
  },
  {
    id: 'S6-lossy',
    title: 'refuses what would be written down as something else, with run and path, and records nothing',
    needs: ['decoded'],
    run: (stage) => refused(stage, LOSSY),
  },
];
