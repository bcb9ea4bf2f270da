import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPEATING } from '../../support/processes/repeating.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';
import { forget, pointsOf, sweep, undisturbed } from '../../support/processes/sweep.ts';
import type { Undisturbed } from '../../support/processes/sweep.ts';

const TURN = 'steps/again/iterate';

describe('a choice, a loop that waits and a projection', () => {
  let whole: Undisturbed;
  beforeAll(async () => {
    whole = await undisturbed(REPEATING);
  });
  afterAll(() => forget(whole));

  it('RK-14 RK-29 every entry in order, over start, answer and resume', () => {
    expect(whole.phases.map(({ args: [name] }) => name)).toEqual(['run', 'answer', 'resume']);
    expect(whole.end.recorded.entries.map(({ path }) => path)).toEqual([
      'inputs',
      'steps/pick/inputs',
      'steps/pick',
      'steps/again/inputs',
      'steps/again/condition[0]',
      `${TURN}[0]/poll/inputs`,
      `${TURN}[0]/poll`,
      `${TURN}[0]/ask/when`,
      'steps/again/condition[1]',
      `${TURN}[1]/poll/inputs`,
      `${TURN}[1]/poll`,
      `${TURN}[1]/ask/when`,
      `${TURN}[1]/ask/token`,
      `${TURN}[1]/ask`,
      'steps/again/condition[2]',
      `${TURN}[2]/poll/inputs`,
      `${TURN}[2]/poll`,
      `${TURN}[2]/ask/when`,
      'steps/again/condition[3]',
      'steps/again',
      'steps/each/collection',
      ...[0, 1].flatMap((n) => [`steps/each/iterate[${n}]/look/inputs`, `steps/each/iterate[${n}]/look`]),
      'steps/each',
    ]);
    expect(whole.end.recorded.result).toMatchObject({
      steps: {
        pick: { result: 'many' },
        again: { result: { turn: 2n, polled: 2n, before: 1n } },
        each: { result: ['a', 'b'] },
      },
    });
  });

  it.each([
    ['append steps/pick', 'before'],
    ['append steps/again/condition[1]', 'after'],
    [`append ${TURN}[0]/poll`, 'before'],
    [`recordWait ${TURN}[1]/ask`, 'after'],
    ['append steps/again/condition[3]', 'before'],
    ['append steps/again', 'before'],
    ['append steps/each/collection', 'after'],
    ['append steps/each/iterate[1]/look', 'before'],
  ] as const)(
    'RK-29 R4 killed at %s, %s: the same end, and only what lost its record is called again',
    async (what, side) => {
      const point = pointsOf(whole).find((one) => one.what === what && one.side === side);
      if (point === undefined) throw new Error(`there is no point ${what}`);
      const repeated = await sweep(REPEATING, whole, [point]);
      const again = /(poll|look)$/.exec(what);
      expect(repeated.map((one) => one.again)).toEqual(again === null ? [] : [[`call ${again[1] ?? ''}`]]);
    },
  );

  it('RK-29 a turn on record stays when the condition is edited meanwhile, and no further one is begun', async () => {
    const sandbox = new Sandbox();
    try {
      REPEATING.prepare(sandbox);
      expect(await sandbox.command(REPEATING.start)).toMatchObject({ code: 2 });
      sandbox.edit('condition: !cel iteration < inputs.turns', 'condition: !cel iteration < 1');
      const answered = await sandbox.command(['answer', REPEATING.run, '"yes"', '--resume']);
      expect(answered).toMatchObject({ code: 0 });
      const { status, result } = await sandbox.recorded(REPEATING.run);
      expect(status).toBe('completed');
      expect(result).toMatchObject({ steps: { again: { result: { turn: 1n } } } });
      expect(sandbox.calls('poll')).toHaveLength(2);
    } finally {
      sandbox.remove();
    }
  });
});
