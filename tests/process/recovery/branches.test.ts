import { describe, expect, it, onTestFinished } from 'vitest';
import { untilStopped } from '../../support/processes/command.ts';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN } from '../../support/processes/plan.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';

describe('try', () => {
  const step = `
  - name: guarded
    try:
      - { name: apply, invoke: !ref applyPlan, inputs: { text: !cel inputs.text } }
    catch:
      - { name: repair, invoke: !ref repair }
      - { name: told, value: !cel error.code }`;
  const fragment = '<Look title="before" /><Broken /><Record title="never" />';

  it('S4 a catch branch that was begun before the kill goes on, although its cause is repaired meanwhile', async () => {
    const { sandbox, program } = makePlan({ fragment, step });
    expect(await sandbox.command(program.start, { COUNTED_KILL: 'repair' })).toMatchObject({ signal: 'SIGKILL' });
    expect(await sandbox.paths(RUN)).toContain('steps/guarded/catch');
    expect(await sandbox.command(['resume', RUN], { COUNTED_REPAIRED: '1' })).toMatchObject({ code: 2 });
    await driveToEnd(sandbox, program);
    expect(await sandbox.recorded(RUN)).toMatchObject({
      status: 'completed',
      result: { steps: { told: { result: 'ERR_TEST_COUNTED' } } },
    });
    expect([sandbox.calls('look'), sandbox.calls('broken'), sandbox.calls('record')]).toEqual([['0'], ['0'], []]);
    expect(sandbox.calls('repair')).toHaveLength(2);
  });

  it('S4 a failure that is on record before the catch branch is not performed again, repaired or not', async () => {
    const { sandbox, program } = makePlan({ fragment, step });
    const killAt = String(2 + 1 + ['inputs', 'generated_xmd', 'begun', 'Look', 'begun', 'outcome'].length);
    const killed = await sandbox.command(program.start, { FAULTS_KILL_AT: killAt, FAULTS_SIDE: 'after' });
    expect(killed).toMatchObject({ signal: 'SIGKILL' });
    expect((await sandbox.paths(RUN)).at(-1)).toBe('steps/guarded/try/apply/generated_xmd/outcome');
    expect(await sandbox.command(['resume', RUN], { COUNTED_REPAIRED: '1' })).toMatchObject({ code: 2 });
    expect(sandbox.calls('broken')).toHaveLength(1);
    expect(sandbox.calls('repair')).toHaveLength(1);
  });
});

describe('retry', () => {
  const step = `
  - name: apply
    invoke: !ref applyPlan
    inputs: { text: !cel inputs.text }
    retry: { attempts: 2, initialDelay: 1, jitter: none }`;
  const fragment = '<Look title="before" /><File path="a.md">a</File><Broken /><Record title="after" />';

  it('S8 killed in each attempt, it performs each attempt once more at most, and none that is on record', async () => {
    const { sandbox, program } = makePlan({ fragment, step });
    for (const [index, args] of [program.start, ['resume', RUN], ['resume', RUN]].entries()) {
      expect(await sandbox.command(args, { COUNTED_KILL: `broken#${String(index)}` })).toMatchObject({
        signal: 'SIGKILL',
      });
    }
    expect(await sandbox.command(['resume', RUN])).toMatchObject({ code: 1 });
    expect(sandbox.calls('broken')).toEqual(['0', '0', '1', '1', '2', '2']);
    expect(sandbox.calls('look')).toEqual(['0']);
    expect(sandbox.log().filter((line) => line.kind === 'fs' && line.call === 'rename')).toHaveLength(1);
    const keys = (await sandbox.paths(RUN)).filter((path) => /outcome|retry/.test(path));
    expect(keys).toEqual([
      'steps/apply/generated_xmd/outcome',
      'steps/apply/retry[0]',
      'steps/apply/generated_xmd/outcome[1]',
      'steps/apply/retry[1]',
      'steps/apply/generated_xmd/outcome[2]',
    ]);
  });

  it('S8 killed after each attempt, every attempt is performed exactly once over all processes', async () => {
    const { sandbox, program } = makePlan({ fragment, step });
    const first =
      2 + ['inputs', 'inputs', 'generated_xmd', 'begun', 'Look', 'before', 'File', 'begun', 'outcome'].length;
    const kill = (args: readonly string[], killAt: number) =>
      sandbox.command(args, { FAULTS_KILL_AT: String(killAt), FAULTS_SIDE: 'after' });
    expect(await kill(program.start, first)).toMatchObject({ signal: 'SIGKILL' });
    // Claim, the pause of the attempt before, that the next call begins, its outcome.
    expect(await kill(['resume', RUN], 4)).toMatchObject({ signal: 'SIGKILL' });
    const last = await sandbox.command(['resume', RUN], { COUNTED_REPAIRED: '1' });
    expect(last).toMatchObject({ code: 2 });
    expect(sandbox.calls('broken')).toEqual(['0', '1', '2']);
    expect(sandbox.calls('record')).toEqual(['2']);
  });
});

function makeTwo(): { sandbox: Sandbox; start: readonly string[] } {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  sandbox.manifest(`
kind: Durable.Await
metadata: { name: question }
---
kind: Counted.Operation
metadata: { name: later }
---
kind: Run.Iteration
metadata: { name: each }
collection: !cel "['a', 'b']"
concurrency: 2
steps:
- { name: ask, invoke: !ref question, inputs: { request: !cel item } }
- { name: later, invoke: !ref later, inputs: { got: !cel steps.ask.result } }
---
kind: DurableLocal.Workflow
metadata: { name: main }
journal: !ref runs
steps:
- { name: all, invoke: !ref each }
`);
  return { sandbox, start: ['run', 'telo.yaml', '--run-id', RUN] };
}

describe('two waits at once', () => {
  const FIRST = 'steps/all/iterate[0]/ask';
  const SECOND = 'steps/all/iterate[1]/ask';

  async function ends(sandbox: Sandbox): Promise<void> {
    const { status, entries } = await sandbox.recorded(RUN);
    expect(status).toBe('completed');
    const values = new Map(entries.map(({ path, value }) => [path, value]));
    expect([values.get(FIRST), values.get(SECOND)]).toEqual(['for a', 'for b']);
    const calls = sandbox.log().flatMap((line) => (line.kind === 'call' ? [line.path] : []));
    expect(calls.toSorted()).toEqual(['steps/all/iterate[0]/later', 'steps/all/iterate[1]/later']);
  }

  it.each([
    ['in order', [FIRST, SECOND]],
    ['the other way round', [SECOND, FIRST]],
  ])(
    'S9 answered %s, one process after another, both answers count and each branch goes on once',
    async (_how, order) => {
      const { sandbox, start } = makeTwo();
      expect(await sandbox.command(start)).toMatchObject({ code: 2 });
      expect((await sandbox.recorded(RUN)).waits.toSorted()).toEqual([`${FIRST} open`, `${SECOND} open`]);
      expect(await sandbox.command(['answer', RUN, '"for nobody"'])).toMatchObject({ code: 64 });
      const answerAt = (path: string) =>
        sandbox.command(['answer', RUN, path === FIRST ? '"for a"' : '"for b"', '--at', path, '--resume']);
      const [one = '', other = ''] = order;
      expect(await answerAt(one)).toMatchObject({ code: 2 });
      expect(await answerAt(other)).toMatchObject({ code: 0 });
      await ends(sandbox);
    },
  );

  it('S9 answered while the run executes, between the record of its waits and its suspension', async () => {
    const { sandbox, start } = makeTwo();
    // Admission, claim, inputs, collection, then inputs, token and wait of each branch.
    const running = sandbox.start(start, { FAULTS_STOP_AT: '11', FAULTS_SIDE: 'before' });
    await untilStopped(running);
    expect((await sandbox.recorded(RUN)).waits.toSorted()).toEqual([`${FIRST} open`, `${SECOND} open`]);
    expect(await sandbox.command(['answer', RUN, '"for b"', '--at', SECOND])).toMatchObject({ code: 0 });
    expect(await sandbox.command(['answer', RUN, '"for a"', '--at', FIRST])).toMatchObject({ code: 0 });
    process.kill(running.pid, 'SIGCONT');
    expect(await running.ended).toMatchObject({ code: 0 });
    await ends(sandbox);
  });
});

it.each([
  ['an error', { code: 'ERR_TEST', message: 'no failure', data: {}, error: true }],
  ['an outcome', { outcome: 'failed', effect: 'x', code: 'ERR_TEST', message: 'no failure', data: null }],
  ['a suspension', { code: 'ERR_DURABLE_SUSPENDED', name: 'DurableSuspension' }],
  ['null', null],
  ['false', false],
])('S9 an answer that looks like %s is the value of the wait', async (_what, answer) => {
  const fragment = '<Ask /><Record title="after" />';
  const { sandbox, program } = makePlan({ fragment, answers: { 'steps/apply/xmd[0]/Ask': answer } });
  await driveToEnd(sandbox, program);
  expect(await sandbox.recorded(RUN)).toMatchObject({
    status: 'completed',
    result: { steps: { apply: { result: { observations: [{ name: 'Ask', value: answer }] } } } },
  });
  expect(sandbox.calls('record')).toHaveLength(1);
});
