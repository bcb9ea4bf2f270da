import type { CaseDefinition } from '../case.ts';
import { equal, matches } from '../expect.ts';
import type { Acting, Body, Stage } from '../stage.ts';

const LEFT = 'steps/each/iterate[0]/ask';
const RIGHT = 'steps/each/iterate[1]/ask';
const ELEMENTS = Array.from({ length: 20 }, (_, index) => index);

/** Works on branches at once: all of them settle, then the first that did not return speaks. */
async function fanOut(branches: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(branches);
  return settled.map((branch) => {
    if (branch.status === 'rejected') throw branch.reason;
    return branch.value;
  });
}

function both(calls: string[]): Body {
  return async ({ wait, handle }) =>
    fanOut([
      wait(LEFT),
      wait(RIGHT),
      handle.step('steps/each/iterate[2]/work', undefined, {}, async () => calls.push('work')),
    ]);
}

/** Two waits of one run, open at once, answered in an order. */
async function answered(stage: Stage, order: readonly string[]): Promise<void> {
  const calls: string[] = [];
  const run = `conformance:${order.join()}`;
  await stage.execute(both(calls), run);
  const [first = '', second = ''] = order;
  equal(await stage.deliver(first, `answer at ${first}`, run), true, `whether the answer at ${first} was taken`);
  equal((await stage.execute(both(calls), run)).status, 'parked', 'the run with one of two answers');
  equal(await stage.deliver(second, `answer at ${second}`, run), true, `whether the answer at ${second} was taken`);
  const ended = await stage.execute(both(calls), run);
  matches(ended, { status: 'completed', result: [`answer at ${LEFT}`, `answer at ${RIGHT}`, 1] }, 'the run');
  equal(calls, ['work'], 'calls of the branch beside the waits');
}

/** Elements that end in the opposite of their order. */
async function backwards(acting: Acting, value: (index: number) => unknown): Promise<readonly unknown[]> {
  const turns = ELEMENTS.map(() => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    return { gate, open };
  });
  turns.at(-1)?.open();
  return fanOut(
    ELEMENTS.map(async (index) => {
      await turns[index]?.gate;
      const answer = await acting.handle.step(`steps/each/iterate[${index}]/a`, undefined, {}, async () =>
        value(index),
      );
      turns[index - 1]?.open();
      return answer;
    }),
  );
}

/** S9: branches. */
export const branches: readonly CaseDefinition[] = [
  {
    id: 'S9-siblings',
    title: 'parks the branch: its siblings finish and are on record, then the run parks',
    needs: [],
    run: async (stage) => {
      let performed = 0;
      const body: Body = ({ wait, handle }) => {
        const late = async (): Promise<unknown> => {
          await new Promise((resolve) => setImmediate(resolve));
          return handle.step('steps/each/iterate[1]/work', undefined, {}, async () => (performed += 1));
        };
        return fanOut([wait(LEFT), late()]);
      };
      const statuses = [(await stage.execute(body)).status, (await stage.execute(body)).status];
      equal(statuses, ['parked', 'parked'], 'two executions without an answer');
      equal(performed, 1, 'how often the branch beside the wait was performed');
    },
  },
  {
    id: 'S9-waits',
    title: 'holds several waits of a run, each answered for itself, in any order',
    needs: ['delivery', 'many-waits'],
    run: async (stage) => {
      await answered(stage, [LEFT, RIGHT]);
      await answered(stage, [RIGHT, LEFT]);
    },
  },
  {
    id: 'S9-order',
    title: 'lists what branches do in the order in which they do it',
    needs: ['entries'],
    run: async (stage) => {
      await stage.execute((acting) => backwards(acting, (index) => index));
      const expected = ELEMENTS.toReversed().map((index) => `steps/each/iterate[${index}]/a`);
      equal(await stage.keys(), expected, 'paths on record, of branches that ended backwards');
    },
  },
  {
    id: 'S9-own',
    title: 'answers each branch its own record, whichever order they come in',
    needs: [],
    run: async (stage) => {
      await stage.killed(async (acting) => {
        await backwards(acting, (index) => `value ${index}`);
        await acting.pause();
      });
      const ended = await stage.execute(({ handle }) =>
        fanOut(
          ELEMENTS.map((index) =>
            handle.step(`steps/each/iterate[${index}]/a`, undefined, {}, async () => 'performed again'),
          ),
        ),
      );
      const result = ELEMENTS.map((index) => `value ${index}`);
      matches(ended, { status: 'completed', result }, 'branches that are replayed forwards');
    },
  },
];
