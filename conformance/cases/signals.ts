import type { DurableRunHandle } from '@telorun/sdk';
import { isTerminal } from '../../kernel/durable/settlement.ts';
import type { CaseDefinition } from '../case.ts';
import { equal, holds, matches, refuses } from '../expect.ts';
import { hostIn, runProgram } from '../host/program.ts';
import { resource } from '../host/resource-context.ts';
import type { Acting, Paused, Stage } from '../stage.ts';

const LOST = 'ERR_DURABLE_CLAIM_LOST';
/** A backend may trust a claim for this long behind a write before it asks whether the run was taken over. */
const TRUST_MS = 50;

/** Everything that could hold a signal, around one step that invokes `subject`. */
function guarded(subject: unknown, bystander: unknown): unknown {
  return [
    {
      name: 'guard',
      try: [
        {
          name: 'again',
          invoke: subject,
          retry: { attempts: 2, initialDelay: 1, jitter: 'none' },
        },
      ],
      catch: [{ name: 'caught', invoke: bystander }],
      finally: [{ name: 'cleaned', invoke: bystander }],
    },
    { name: 'after', invoke: bystander },
  ];
}

/** Runs the guarded step; answers how often anything but the subject was called. */
async function runGuarded(acting: Acting, subject: () => Promise<unknown>, bystanders: { calls: number }) {
  const parts = {
    subject: resource('Test.Subject', 'subject', subject),
    bystander: resource('Test.Bystander', 'bystander', () => (bystanders.calls += 1)),
  };
  return runProgram(guarded(parts.subject, parts.bystander), acting, { host: hostIn(acting, { resources: parts }) });
}

/** An execution that another one has taken the run over from, both in the middle of their bodies. */
async function takenOver(stage: Stage, then: (handle: DurableRunHandle) => Promise<unknown>): Promise<Paused> {
  const old = await stage.untilPaused(async ({ handle, pause }) => {
    await handle.step('steps/before', undefined, {}, async () => 'before');
    await pause();
    return then(handle);
  });
  await stage.killed(async ({ handle, pause }) => {
    await handle.step('steps/before', undefined, {}, async () => 'again');
    await pause();
  });
  await new Promise((resolve) => setTimeout(resolve, TRUST_MS));
  old.wake();
  return old;
}

/** S4: what no catch may hold, and what an execution may do whose run was taken over. */
export const signals: readonly CaseDefinition[] = [
  {
    id: 'S4-suspension',
    title: 'lets a suspension pass `try`, `catch`, `finally` and `retry`, and starts nothing further',
    needs: [],
    run: async (stage) => {
      const bystanders = { calls: 0 };
      let attempts = 0;
      const ended = await stage.execute((acting) =>
        runGuarded(
          acting,
          () => {
            attempts += 1;
            return acting.park('steps/guard/try/again');
          },
          bystanders,
        ),
      );
      equal(ended.status, 'parked', 'how the run ended');
      equal([attempts, bystanders.calls], [1, 0], 'attempts, and steps that ran beside them');
    },
  },
  {
    id: 'S4-taken-over',
    title: 'tells an execution whose run was taken over, before anything of it starts',
    needs: ['fencing'],
    run: async (stage) => {
      let performed = 0;
      const old = await takenOver(stage, async (handle) => {
        await refuses(
          () => handle.step('steps/next', undefined, {}, async () => (performed += 1)),
          LOST,
          'an effect of an execution that was taken over',
        );
      });
      const ended = await old.ended;
      equal(performed, 0, 'effects started after the run was taken over');
      holds(!isTerminal(ended.status), `an execution that was taken over settles nothing (found ${ended.status})`);
    },
  },
  {
    id: 'S4-decision-lost',
    title: 'records no decision and no wait of an execution that was taken over',
    needs: ['fencing'],
    run: async (stage) => {
      const old = await takenOver(stage, (handle) =>
        refuses(() => handle.decide('steps/late', 'value', () => 'late'), LOST, 'a decision of the old execution'),
      );
      await old.ended;
      const parking = await takenOver(stage, (handle) =>
        refuses(
          () => handle.park({ path: 'steps/wait', resource: 'approval' }, {}),
          LOST,
          'a park of the old execution',
        ),
      );
      await parking.ended;
      const ended = await stage.execute(({ handle }) => handle.decide('steps/late', 'value', () => 'mine'));
      matches(ended, { status: 'completed', result: 'mine' }, 'the decision of the execution that has the run');
    },
  },
  {
    id: 'S4-in-flight',
    title: 'records nothing of an effect that was under way when its run was taken over',
    needs: ['fencing'],
    run: async (stage) => {
      const old = await stage.untilPaused(async ({ handle, pause }) => {
        await refuses(
          () =>
            handle.step('steps/a', undefined, {}, async () => {
              await pause();
              return 'of the old execution';
            }),
          LOST,
          'an effect that ended after the run was taken over',
        );
      });
      const next = await stage.untilPaused(async ({ handle, pause }) => {
        await pause();
        return handle.step('steps/a', undefined, {}, async () => 'of the new execution');
      });
      old.wake();
      await old.ended;
      next.wake();
      matches(await next.ended, { status: 'completed', result: 'of the new execution' }, 'the effect');
    },
  },
  {
    id: 'S4-ever-after',
    title: 'refuses every later call of an execution that has lost its run, and keeps the records as they are',
    needs: ['fencing', 'entries'],
    run: async (stage) => {
      const old = await takenOver(stage, async (handle) => {
        await refuses(() => handle.step('steps/x', undefined, {}, async () => 'x'), LOST, 'the first call');
        await refuses(() => handle.step('steps/y', undefined, {}, async () => 'y'), LOST, 'an effect after it');
        await refuses(() => handle.decide('steps/z', 'value', () => 'z'), LOST, 'a decision after it');
      });
      await old.ended;
      equal(await stage.keys(), ['steps/before'], 'paths on record');
    },
  },
  {
    id: 'S4-lost-passes',
    title: 'lets a lost run pass `try`, `catch`, `finally` and `retry`, and starts nothing further',
    needs: ['fencing'],
    run: async (stage) => {
      const bystanders = { calls: 0 };
      let attempts = 0;
      const old = await stage.untilPaused((acting) =>
        runGuarded(
          acting,
          async () => {
            attempts += 1;
            await acting.pause();
            return 'late';
          },
          bystanders,
        ),
      );
      await stage.killed(({ pause }) => pause());
      old.wake();
      const ended = await old.ended;
      equal([attempts, bystanders.calls], [1, 0], 'attempts, and steps that ran beside them');
      holds(!isTerminal(ended.status), `an execution that was taken over settles nothing (found ${ended.status})`);
    },
  },
];
