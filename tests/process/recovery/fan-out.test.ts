import { describe, expect, it } from 'vitest';
import type { Program } from '../../support/processes/drive.ts';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN } from '../../support/processes/plan.ts';
import type { Sandbox } from '../../support/processes/sandbox.ts';

/** Three elements at once; each fragment looks, waits for a person, writes what it is about, and calls. */
const STEP = `
  - name: all
    inputs: { names: [a, b, c] }
    invoke:
      kind: Run.Projection
      collection: !cel inputs.names
      concurrency: 3
      steps:
        - name: apply
          invoke: !ref applyPlan
          inputs:
            text: !cel >-
              '<Look title="' + item + '" /><Ask title="' + item + '" /><File path="out/' + item + '.txt">' + item + '</File><Record />'
      outputs: !cel steps.apply.result.observations[1].value`;
const TAIL = '  - { name: told, value: !cel steps.all.result }';

const element = (n: number): string => `steps/all/iterate[${n}]/apply`;
const ask = (n: number): string => `${element(n)}/xmd[1]/Ask`;
const ANSWERS = ['for a', 'for b', 'for c'];

/** What one element has on record, in the order of time. */
const KEYS = [
  'inputs',
  'generated_xmd',
  'xmd[0]/Look/begun',
  'xmd[0]/Look',
  'xmd[1]/Ask/token',
  'xmd[1]/Ask',
  'xmd[2]/File/before',
  'xmd[2]/File',
  'xmd[3]/Record/begun',
  'xmd[3]/Record',
  'generated_xmd/outcome',
];

function makeFanOut(kind = 'Run.Projection'): { sandbox: Sandbox; program: Program } {
  const step = STEP.replace('Run.Projection', kind);
  const answers = Object.fromEntries(ANSWERS.map((answer, n) => [ask(n), answer]));
  return makePlan({
    fragment: '',
    step: kind === 'Run.Projection' ? step : step.replace(/\n *outputs:.*$/, ''),
    tail: kind === 'Run.Projection' ? TAIL : '  - { name: told, value: done }',
    answers,
  });
}

async function ends(sandbox: Sandbox, told: unknown): Promise<void> {
  const { status, entries, result } = await sandbox.recorded(RUN);
  expect(status).toBe('completed');
  expect(result).toMatchObject({ steps: { told: { result: told } } });
  const keys = entries.map(({ path }) => path);
  for (const n of [0, 1, 2]) {
    const own = keys.filter((key) => key.startsWith(`${element(n)}/`));
    expect(own).toEqual(KEYS.map((key) => `${element(n)}/${key}`));
  }
  expect([sandbox.text('out/a.txt'), sandbox.text('out/b.txt'), sandbox.text('out/c.txt')]).toEqual(['a', 'b', 'c']);
}

function callPaths(sandbox: Sandbox, name: string): readonly string[] {
  return sandbox
    .log()
    .flatMap((line) => (line.kind === 'call' && line.name === name ? [line.path] : []))
    .toSorted();
}

describe('Evaluate in a fan-out', () => {
  it.each([
    ['in order', [0, 1, 2], 'Run.Projection'],
    ['backwards', [2, 1, 0], 'Run.Projection'],
    ['from the middle', [1, 2, 0], 'Run.Iteration'],
  ])(
    'E10 S9 three fragments wait at once; answered %s, each goes on alone and is performed once',
    async (_how, order, kind) => {
      const { sandbox, program } = makeFanOut(kind);
      expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
      expect((await sandbox.recorded(RUN)).waits.toSorted()).toEqual([0, 1, 2].map((n) => `${ask(n)} open`));
      for (const [index, n] of order.entries()) {
        const answer = ['answer', RUN, JSON.stringify(ANSWERS[n]), '--at', ask(n), '--resume'];
        expect(await sandbox.command(answer)).toMatchObject({ code: index === 2 ? 0 : 2 });
        expect(callPaths(sandbox, 'record')).toEqual(
          order
            .slice(0, index + 1)
            .toSorted()
            .map((done) => `${element(done)}/xmd[3]/Record`),
        );
      }
      expect(callPaths(sandbox, 'look')).toEqual([0, 1, 2].map((n) => `${element(n)}/xmd[0]/Look`));
      await ends(sandbox, kind === 'Run.Projection' ? ANSWERS : 'done');
    },
  );

  it('E10 S9 all answered while no process runs, one resume goes on in every branch', async () => {
    const { sandbox, program } = makeFanOut();
    await sandbox.command(program.start);
    for (const n of [2, 0, 1]) {
      const answer = ['answer', RUN, JSON.stringify(ANSWERS[n]), '--at', ask(n)];
      expect(await sandbox.command(answer)).toMatchObject({ code: 0 });
    }
    expect(callPaths(sandbox, 'record')).toEqual([]);
    expect(await sandbox.command(['resume', RUN])).toMatchObject({ code: 0 });
    expect(callPaths(sandbox, 'record')).toHaveLength(3);
    await ends(sandbox, ANSWERS);
  });

  it.each([
    ['look', 'the first calls of all branches'],
    ['record', 'the calls behind the answers'],
  ])('E10 R4 killed in %s (%s): what was on record is not performed again', async (name) => {
    const { sandbox, program } = makeFanOut();
    const kill = { COUNTED_KILL: name };
    if (name === 'look') {
      expect(await sandbox.command(program.start, kill)).toMatchObject({ signal: 'SIGKILL' });
    } else {
      await sandbox.command(program.start);
      for (const n of [0, 1, 2]) await sandbox.command(['answer', RUN, JSON.stringify(ANSWERS[n]), '--at', ask(n)]);
      expect(await sandbox.command(['resume', RUN], kill)).toMatchObject({ signal: 'SIGKILL' });
    }
    const before = new Set(await sandbox.paths(RUN));
    const known = sandbox.log().length;
    await driveToEnd(sandbox, program);
    const again = sandbox
      .log()
      .slice(known)
      .flatMap((line) => (line.kind === 'call' ? [line.path] : []));
    expect(again.filter((path) => before.has(path))).toEqual([]);
    expect(new Set(again).size).toBe(again.length);
    const changes = sandbox.log().flatMap((line) => (line.kind === 'change' ? [line.path] : []));
    expect(changes).toHaveLength(6);
    await ends(sandbox, ANSWERS);
  });
});
