import type { StepClock } from '@telorun/sdk';
import { InvokeError, SUSPENDING_BACKOFF_MS } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import { equal, matches } from '../expect.ts';
import { hostIn, runProgram } from '../host/program.ts';
import { resource } from '../host/resource-context.ts';
import type { Acting, Body } from '../stage.ts';

const PATH = 'steps/flaky';
const BACKOFF_MS = SUSPENDING_BACKOFF_MS;

interface Flaky {
  calls: number;
  readonly attempts: unknown[];
  /** Calls that fail before one succeeds. */
  readonly failures: number;
}

function flakyWork(failures: number): Flaky {
  return { calls: 0, attempts: [], failures };
}

/** One step that is sent again after failures. */
async function flaky(acting: Acting, work: Flaky, options: { delayMs: number; clock?: StepClock }): Promise<unknown> {
  const target = resource('Test.Flaky', 'flaky', (_inputs, context) => {
    work.calls += 1;
    work.attempts.push(context?.attempt);
    if (work.calls <= work.failures) throw new InvokeError('ERR_TEST_FLAKY', `failure ${work.calls}`);
    return `call ${work.calls}`;
  });
  const retry = { attempts: 3, initialDelay: options.delayMs, factor: 1, jitter: 'none' };
  const results = await runProgram([{ name: 'flaky', invoke: target, retry }], acting, {
    host: hostIn(acting, { resources: { flaky: target } }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  return results['flaky'];
}

/** S8: attempts and their due times. */
export const retries: readonly CaseDefinition[] = [
  {
    id: 'S8-sleeps',
    title: 'sends again after a short backoff in the same execution, and records each pause',
    needs: ['entries', 'recorded'],
    run: async (stage) => {
      const work = flakyWork(2);
      const ended = await stage.execute((acting) => flaky(acting, work, { delayMs: 1 }));
      matches(ended, { status: 'completed', result: { result: 'call 3' } }, 'the run');
      equal(await stage.keys(), [`${PATH}/retry[0]`, `${PATH}/retry[1]`, PATH], 'paths on record');
    },
  },
  {
    id: 'S8-survives',
    title: 'performs no recorded attempt again after a kill, and says which attempt it is',
    needs: ['recorded'],
    run: async (stage) => {
      const work = flakyWork(2);
      await stage.killed(async (acting) => {
        const hanging: Flaky = { ...work, failures: 1 };
        const target = resource('Test.Flaky', 'flaky', async (_inputs, context) => {
          work.calls += 1;
          work.attempts.push(context?.attempt);
          if (work.calls > hanging.failures) await acting.pause();
          throw new InvokeError('ERR_TEST_FLAKY', `failure ${work.calls}`);
        });
        const retry = { attempts: 3, initialDelay: 1, factor: 1, jitter: 'none' };
        await runProgram([{ name: 'flaky', invoke: target, retry }], acting, {
          host: hostIn(acting, { resources: { flaky: target } }),
        });
      });
      const ended = await stage.execute((acting) => flaky(acting, work, { delayMs: 1 }));
      matches(ended, { status: 'completed', result: { result: 'call 3' } }, 'the run');
      equal(work.attempts, [0, 1, 1], 'attempts over both executions: the interrupted one is entered again');
    },
  },
  {
    id: 'S8-parks',
    title: 'parks for a long backoff with the attempt and its due time on record, and goes on when it is over',
    needs: ['recorded'],
    run: async (stage) => {
      const work = flakyWork(1);
      let now = Date.now();
      const clock: StepClock = { now: () => now, random: () => 0.5 };
      const body: Body = (acting) => flaky(acting, work, { delayMs: BACKOFF_MS, clock });
      const early = [(await stage.execute(body)).status];
      now += BACKOFF_MS - 1;
      early.push((await stage.execute(body)).status);
      equal(early, ['parked', 'parked'], 'how the run ended before its attempt was due');
      equal(work.calls, 1, 'attempts before the second was due');
      now += 1;
      matches(await stage.execute(body), { status: 'completed', result: { result: 'call 2' } }, 'the run when due');
      equal(work.attempts, [0, 1], 'attempts');
    },
  },
];
