import type { DurableTarget } from '@telorun/sdk';
import { InvokeError } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import { dataOf, equal, matches, refuses, times } from '../expect.ts';
import { RUN } from '../stage.ts';

const TARGET: DurableTarget = { kind: 'Test.Effect', name: 'effect', module: 'Tests' };
const FALSY: readonly unknown[] = [undefined, null, false, 0, ''];

/** S1: `step`. */
export const effects: readonly CaseDefinition[] = [
  {
    id: 'S1-replay',
    title: 'performs an effect once, and answers its record from then on',
    needs: [],
    run: async (stage) => {
      let performed = 0;
      const answers: unknown[] = [];
      await stage.killed(async ({ handle, pause }) => {
        answers.push(await handle.step('steps/a', TARGET, {}, async () => (performed += 1)));
        await pause();
      });
      const ended = await stage.execute(async ({ handle }) => {
        answers.push(await handle.step('steps/a', TARGET, {}, async () => (performed += 1)));
        return answers.length;
      });
      equal(answers, [1, 1], 'the answers of the first execution and of the one after the kill');
      equal(performed, 1, 'how often the effect was performed');
      matches(ended, { status: 'completed', result: 2 }, 'how the run ended');
    },
  },
  {
    id: 'S1-interrupted',
    title: 'records an effect on completion: an interrupted one is performed again',
    needs: [],
    run: async (stage) => {
      await stage.killed(({ handle, pause }) =>
        handle.step('steps/a', TARGET, {}, async () => {
          await pause();
          return 'of the killed process';
        }),
      );
      const ended = await stage.execute(({ handle }) => handle.step('steps/a', TARGET, {}, async () => 'again'));
      matches(ended, { status: 'completed', result: 'again' }, 'an effect that had begun and not ended');
    },
  },
  {
    id: 'S1-failure',
    title: 'records nothing of an effect that fails, and hands its own error on',
    needs: [],
    run: async (stage) => {
      let performed = 0;
      const ended = await stage.execute(async ({ handle }) => {
        const failing = () =>
          handle.step('steps/a', TARGET, {}, async () => {
            performed += 1;
            throw new InvokeError('ERR_TEST_EFFECT', 'the effect failed', { attempt: performed });
          });
        const error = await refuses(failing, 'ERR_TEST_EFFECT', 'an effect that throws');
        equal(dataOf(error), { attempt: 1 }, 'data of the error');
        return handle.step('steps/a', TARGET, {}, async () => (performed += 1));
      });
      matches(ended, { status: 'completed', result: 2 }, 'the second attempt at the path');
    },
  },
  {
    id: 'S1-mismatch',
    title: 'refuses another target at a recorded path, and performs nothing',
    needs: [],
    run: async (stage) => {
      let performed = 0;
      await stage.killed(async ({ handle, pause }) => {
        await handle.step('steps/a', TARGET, {}, async () => 'recorded');
        await pause();
      });
      for (const other of [{ kind: 'Test.Other' }, { name: 'other' }, { module: 'Others' }]) {
        const reached = { ...TARGET, ...other };
        await stage.killed(async ({ handle, pause }) => {
          const error = await refuses(
            () => handle.step('steps/a', reached, {}, async () => (performed += 1)),
            'ERR_JOURNAL_ENTRY_MISMATCH',
            `reaching ${JSON.stringify(reached)} where ${JSON.stringify(TARGET)} is recorded`,
          );
          matches(dataOf(error), { run: RUN, path: 'steps/a', recorded: TARGET, reached }, 'data of the refusal');
          await pause();
        });
      }
      equal(performed, 0, 'effects performed at a path of another target');
      const ended = await stage.execute(({ handle }) => handle.step('steps/a', { ...TARGET }, {}, async () => 'again'));
      matches(ended, { status: 'completed', result: 'recorded' }, 'the same target');
    },
  },
  {
    id: 'S1-omitted',
    title: 'does not compare a target that is omitted, when it is recorded or when it is reached',
    needs: [],
    run: async (stage) => {
      await stage.killed(async ({ handle, pause }) => {
        await handle.step('steps/a', TARGET, {}, async () => 'a');
        await handle.step('steps/b', undefined, {}, async () => 'b');
        await pause();
      });
      const ended = await stage.execute(async ({ handle }) => [
        await handle.step('steps/a', undefined, {}, async () => 'again'),
        await handle.step('steps/b', TARGET, {}, async () => 'again'),
      ]);
      matches(ended, { status: 'completed', result: ['a', 'b'] }, 'records reached with one target omitted');
    },
  },
  {
    id: 'S1-path',
    title: 'finds a record by its path, in whatever order the paths are reached',
    needs: [],
    run: async (stage) => {
      const paths = ['steps/a', 'steps/b', 'steps/c'];
      await stage.killed(async ({ handle, pause }) => {
        for (const path of paths) await handle.step(path, undefined, {}, async () => path);
        await pause();
      });
      const ended = await stage.execute(async ({ handle }) => {
        const answers: unknown[] = [];
        for (const path of paths.toReversed())
          answers.push(await handle.step(path, undefined, {}, async () => 'again'));
        return answers;
      });
      matches(ended, { status: 'completed', result: paths.toReversed() }, 'paths reached in the opposite order');
    },
  },
  {
    id: 'S1-twice',
    title: 'answers a second call at a path from the record, in the same execution, too',
    needs: [],
    run: async (stage) => {
      const ended = await stage.execute(async ({ handle }) => [
        await handle.step('steps/a', TARGET, {}, async () => 'first'),
        await handle.step('steps/a', TARGET, {}, async () => 'second'),
      ]);
      matches(ended, { status: 'completed', result: ['first', 'first'] }, 'two calls at one path');
    },
  },
  {
    id: 'S1-first-writer',
    title: 'keeps the first of two writers at a path, and answers nobody anything else',
    needs: [],
    run: async (stage) => {
      let live: readonly unknown[] = [];
      await stage.killed(async ({ handle, pause }) => {
        const both = await Promise.allSettled(
          ['one', 'other'].map((value) => handle.step('steps/a', TARGET, {}, async () => value)),
        );
        live = both.flatMap((call): unknown[] => (call.status === 'fulfilled' ? [call.value] : []));
        await pause();
      });
      const ended = await stage.execute(({ handle }) => handle.step('steps/a', TARGET, {}, async () => 'again'));
      equal(
        new Set([...live, ended.result]).size,
        1,
        `different answers at one path (${JSON.stringify([live, ended])})`,
      );
      equal(live.length > 0, true, 'whether one of two calls at once was answered');
    },
  },
  {
    id: 'S1-falsy',
    title: 'takes a record without a value, or with an empty one, for a record',
    needs: [],
    run: async (stage) => {
      let performed = 0;
      await times(2, async () => {
        await stage.killed(async ({ handle, pause }) => {
          for (const [index, value] of FALSY.entries()) {
            const answer = await handle.step(`steps/each[${index}]`, undefined, {}, async () => {
              performed += 1;
              return value;
            });
            equal(answer, value, 'the answer of an effect');
          }
          await pause();
        });
      });
      equal(performed, FALSY.length, 'effects performed in two executions');
    },
  },
  {
    id: 'S1-runs',
    title: 'keeps the records of each run apart',
    needs: [],
    run: async (stage) => {
      const runs = ['one', 'one/two', 'one%2Ftwo', 'ONE', 'é:1'];
      for (const run of runs) {
        await stage.killed(async ({ handle, pause }) => {
          equal(handle.runId, run, 'the run id of a handle');
          await handle.step('steps/a', undefined, {}, async () => run);
          await pause();
        }, run);
      }
      for (const run of runs) {
        const ended = await stage.execute(
          ({ handle }) => handle.step('steps/a', undefined, {}, async () => 'again'),
          run,
        );
        matches(ended, { status: 'completed', result: run }, `the record of run "${run}"`);
      }
    },
  },
  {
    id: 'S1-order',
    title: 'lists the records in the order of writing',
    needs: ['entries'],
    run: async (stage) => {
      const paths = ['steps/b', 'steps/a', 'steps/each[10]', 'steps/each[9]', 'steps/a/inner', 'steps'];
      await stage.execute(async ({ handle }) => {
        for (const path of paths) await handle.step(path, undefined, {}, async () => 0);
      });
      equal(await stage.keys(), paths, 'paths on record');
    },
  },
  {
    id: 'S1-recorded',
    title: 'tells which paths are on record',
    needs: ['recorded'],
    run: async (stage) => {
      const told: unknown[] = [];
      await times(2, async () => {
        await stage.killed(async ({ handle, pause }) => {
          const ask = () => told.push(handle.recorded?.('steps/a'));
          ask();
          await handle.step('steps/a', undefined, {}, async () => undefined);
          ask();
          told.push(handle.recorded?.('steps'));
          await pause();
        });
      });
      equal(told, [false, true, false, true, true, false], '`recorded` before and after, in two executions');
    },
  },
];
