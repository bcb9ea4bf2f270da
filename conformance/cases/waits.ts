import { isTerminal } from '../../kernel/durable/settlement.ts';
import { isInvokeError, isSuspension } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import type { Ended } from '../backend.ts';
import { equal, holds, matches, thrownBy, times } from '../expect.ts';
import type { Body } from '../stage.ts';

const ASK = 'steps/ask';
/** Answers that look like something else. */
const ANSWERS: readonly unknown[] = [
  null,
  false,
  '',
  0,
  [],
  { error: { code: 'ERR_NO' } },
  { outcome: 'failed', code: 'ERR_NO' },
  { code: 'ERR_DURABLE_SUSPENDED' },
  { $bigint: 'five' },
];

const asks: Body = ({ wait }) => wait(ASK);

/** S3: `park`, and what answers it. */
export const waits: readonly CaseDefinition[] = [
  {
    id: 'S3-parks',
    title: 'throws the signal from a park, always, and leaves the run parked',
    needs: [],
    run: async (stage) => {
      let behind = 0;
      const ended = await stage.execute(async ({ wait }) => {
        const signal = await thrownBy(() => wait(ASK), 'a park');
        equal(isSuspension(signal), true, 'whether a park throws the signal');
        equal(isInvokeError(signal), false, 'whether the signal is an InvokeError, which `catches` could name');
        throw signal;
      });
      const again = await stage.execute(async ({ wait }) => {
        await wait(ASK);
        behind += 1;
      });
      equal([ended.status, again.status], ['parked', 'parked'], 'how two executions without an answer ended');
      equal(behind, 0, 'what happened behind the park');
    },
  },
  {
    id: 'S3-status',
    title: 'says of a run that waits that it is parked',
    needs: ['status'],
    run: async (stage) => {
      await stage.execute(asks);
      equal(await stage.status(), 'parked', 'the status of a run that waits');
    },
  },
  {
    id: 'S3-swallowed',
    title: 'settles nothing when a body returns although it had parked, and says so',
    needs: [],
    run: async (stage) => {
      const swallowing: Body = async ({ wait }) => {
        await thrownBy(() => wait(ASK), 'a park');
        return 'as if nothing had happened';
      };
      const ended = await stage.execute(swallowing);
      holds(!isTerminal(ended.status), `a run whose body swallowed a park is not settled (found ${ended.status})`);
      equal(codeIn(ended), 'ERR_DURABLE_SUSPENSION_SWALLOWED', 'the problem of that execution');
      const next = await stage.execute(async () => 'later');
      matches(next, { status: 'completed', result: 'later' }, 'the execution after it, whose handle is another');
    },
  },
  {
    id: 'S3-handle',
    title: 'gives each execution a handle of its own',
    needs: [],
    run: async (stage) => {
      const handles = new Set<object>();
      await times(2, async () => {
        await stage.killed(async ({ handle, pause }) => {
          handles.add(handle);
          await pause();
        });
      });
      equal(handles.size, 2, 'handles of two executions');
    },
  },
  {
    id: 'S3-waits-again',
    title: 'repeats nothing when a run is entered that still waits',
    needs: [],
    run: async (stage) => {
      let performed = 0;
      const body: Body = async ({ handle, wait }) => {
        await handle.step('steps/before', undefined, {}, async () => (performed += 1));
        await wait(ASK);
      };
      const statuses: unknown[] = [];
      await times(3, async () => statuses.push((await stage.execute(body)).status));
      equal(statuses, ['parked', 'parked', 'parked'], 'three executions without an answer');
      equal(performed, 1, 'how often the effect before the wait was performed');
    },
  },
  {
    id: 'S3-answer',
    title: 'makes the answer the value of the step that waits, and goes on behind it once',
    needs: ['delivery'],
    run: async (stage) => {
      const calls: string[] = [];
      const body: Body = async ({ handle, park }) => {
        await handle.step('steps/before', undefined, {}, async () => calls.push('before'));
        const answer = await handle.step(ASK, undefined, {}, () => {
          calls.push('ask');
          return park(ASK);
        });
        await handle.step('steps/behind', undefined, {}, async () => calls.push('behind'));
        return answer;
      };
      await stage.execute(body);
      equal(await stage.deliver(ASK, { decision: 'publish' }), true, 'whether the answer was taken');
      const ended = await stage.execute(body);
      matches(ended, { status: 'completed', result: { decision: 'publish' } }, 'the run after the answer');
      equal(calls, ['before', 'ask', 'behind'], 'what was performed over both executions');
    },
  },
  {
    id: 'S3-any-answer',
    title: 'takes any answer as a value, whatever it looks like',
    needs: ['delivery'],
    run: async (stage) => {
      for (const [index, answer] of ANSWERS.entries()) {
        const run = `conformance:answer-${index}`;
        await stage.execute(asks, run);
        await stage.deliver(ASK, answer, run);
        const ended = await stage.execute(asks, run);
        matches(ended, { status: 'completed', result: answer }, `the answer ${JSON.stringify(answer)}`);
      }
    },
  },
  {
    id: 'S3-recorded-first',
    title: 'has a wait on record before the park unwinds: an answer is taken from then on',
    needs: ['delivery'],
    run: async (stage) => {
      let delivered: boolean | undefined;
      const body: Body = async ({ wait }) => {
        try {
          return await wait(ASK);
        } catch (error) {
          delivered ??= await stage.deliver(ASK, 'at once');
          throw error;
        }
      };
      await stage.execute(body);
      equal(delivered, true, 'whether an answer was taken while the body unwound');
      matches(await stage.execute(body), { status: 'completed', result: 'at once' }, 'the run after it');
    },
  },
  {
    id: 'S3-answered-once',
    title: 'takes one answer for a wait; a later one changes nothing',
    needs: ['delivery'],
    run: async (stage) => {
      await stage.execute(asks);
      const taken = [await stage.deliver(ASK, 'first'), await stage.deliver(ASK, 'second')];
      equal(taken, [true, false], 'whether each of two answers was taken');
      matches(await stage.execute(asks), { status: 'completed', result: 'first' }, 'the run after two answers');
    },
  },
  {
    id: 'S3-nobody-waits',
    title: 'takes no answer where nobody waits, and none for a settled run',
    needs: ['delivery'],
    run: async (stage) => {
      await stage.execute(asks);
      equal(await stage.deliver('steps/other', 'x'), false, 'an answer to a path that does not wait');
      await stage.deliver(ASK, 'y');
      const body: Body = async ({ handle, wait }) => [
        await wait(ASK),
        await handle.step('steps/other', undefined, {}, async () => 'performed'),
      ];
      matches(await stage.execute(body), { status: 'completed', result: ['y', 'performed'] }, 'the run');
      equal(await stage.deliver(ASK, 'z'), false, 'an answer to a run that is settled');
      equal(await stage.deliver(ASK, 'z', 'conformance:unknown'), false, 'an answer to a run that never was');
    },
  },
  {
    id: 'S3-elsewhere',
    title: 'is answered and goes on in another process',
    needs: ['delivery', 'reopen'],
    run: async (stage) => {
      let performed = 0;
      const body: Body = async ({ handle, wait }) => {
        await handle.step('steps/before', undefined, {}, async () => (performed += 1));
        return wait(ASK);
      };
      await stage.execute(body);
      const other = await stage.reopened();
      equal(await other.deliver(ASK, 'from elsewhere'), true, 'whether another process could answer');
      const ended = await (await stage.reopened()).execute(body);
      matches(ended, { status: 'completed', result: 'from elsewhere' }, 'the run in a third process');
      equal(performed, 1, 'how often the effect before the wait was performed');
    },
  },
];

function codeIn({ problem, error }: Ended): string | undefined {
  return (problem ?? error)?.code;
}
