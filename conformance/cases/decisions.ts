import type { DecisionKind } from '@telorun/sdk';
import { InvokeError } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import { equal, matches, refuses, times } from '../expect.ts';

const KINDS: readonly (readonly [DecisionKind, unknown])[] = [
  ['inputs', { version: '1.0.0', nested: { list: [1, 2] } }],
  ['predicate', false],
  ['condition', true],
  ['collection', ['b', 'a', { c: null }]],
  ['switch', 'publish'],
  ['value', 17.5],
];

/** S2: `decide`. */
export const decisions: readonly CaseDefinition[] = [
  {
    id: 'S2-once',
    title: 'computes a decision once in the life of a run, and answers it verbatim when readings have moved',
    needs: [],
    run: async (stage) => {
      let reading = 1;
      const answers: unknown[] = [];
      await times(3, async () => {
        await stage.killed(async ({ handle, pause }) => {
          answers.push(await handle.decide('steps/a/value', 'value', () => ({ reading })));
          answers.push(await handle.decide('steps/a/value', 'value', () => ({ reading })));
          reading += 1;
          await pause();
        });
      });
      equal(
        answers,
        Array.from({ length: 6 }, () => ({ reading: 1 })),
        'two answers in each of three executions',
      );
    },
  },
  {
    id: 'S2-kinds',
    title: 'records every kind of decision: inputs, predicate, condition, collection, switch, value',
    needs: [],
    run: async (stage) => {
      let computed = 0;
      await times(2, async () => {
        await stage.killed(async ({ handle, pause }) => {
          for (const [kind, value] of KINDS) {
            const answer = await handle.decide(`steps/${kind}/${kind}`, kind, () => {
              computed += 1;
              return value;
            });
            equal(answer, value, `a decision of kind ${kind}`);
          }
          await pause();
        });
      });
      equal(computed, KINDS.length, 'decisions computed in two executions');
    },
  },
  {
    id: 'S2-listed',
    title: 'lists a decision as one, with its kind, in its place among the effects',
    needs: ['entries'],
    run: async (stage) => {
      await stage.execute(async ({ handle }) => {
        await handle.decide('steps/a/when', 'predicate', () => true);
        await handle.step('steps/a', undefined, {}, async () => 'done');
        await handle.decide('steps/b/switch', 'switch', () => 'x');
      });
      const listed = (await stage.entries())
        .filter(({ path }) => path !== 'inputs')
        .map(({ path, kind, decision, value }) => [path, kind, decision, value]);
      equal(
        listed,
        [
          ['steps/a/when', 'decision', 'predicate', true],
          ['steps/a', 'step', undefined, 'done'],
          ['steps/b/switch', 'decision', 'switch', 'x'],
        ],
        'entries on record',
      );
    },
  },
  {
    id: 'S2-before',
    title: 'has a decision on record before its caller goes on',
    needs: [],
    run: async (stage) => {
      await stage.killed(async ({ handle, pause }) => {
        await handle.decide('steps/a/inputs', 'inputs', () => 'pinned');
        await handle.step('steps/a', undefined, {}, pause);
      });
      const ended = await stage.execute(({ handle }) => handle.decide('steps/a/inputs', 'inputs', () => 'moved'));
      matches(ended, { status: 'completed', result: 'pinned' }, 'a decision whose effect was interrupted');
    },
  },
  {
    id: 'S2-falsy',
    title: 'takes an empty decision for a decision',
    needs: [],
    run: async (stage) => {
      const values: readonly unknown[] = [undefined, null, false, 0, '', []];
      let computed = 0;
      await times(2, async () => {
        await stage.killed(async ({ handle, pause }) => {
          for (const [index, value] of values.entries()) {
            const answer = await handle.decide(`steps/each[${index}]/value`, 'value', () => {
              computed += 1;
              return value;
            });
            equal(answer, value, 'an empty decision');
          }
          await pause();
        });
      });
      equal(computed, values.length, 'decisions computed in two executions');
    },
  },
  {
    id: 'S2-throws',
    title: 'records nothing when computing throws, and hands the error on',
    needs: [],
    run: async (stage) => {
      const ended = await stage.execute(async ({ handle }) => {
        const failing = (): never => {
          throw new InvokeError('ERR_TEST_EXPRESSION', 'no such member');
        };
        await refuses(() => handle.decide('steps/a/when', 'predicate', failing), 'ERR_TEST_EXPRESSION', 'a decision');
        return handle.decide('steps/a/when', 'predicate', () => true);
      });
      matches(ended, { status: 'completed', result: true }, 'the decision taken afterwards');
    },
  },
];
