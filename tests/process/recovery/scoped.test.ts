import { expect, it } from 'vitest';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN } from '../../support/processes/plan.ts';

/** A sequence in a step of the workflow, with resources of its own. */
const STEP = `
  - name: scoped
    invoke:
      kind: Run.Sequence
      with:
        - { kind: Counted.Operation, metadata: { name: inner } }
        - { kind: Durable.Await, metadata: { name: gate } }
      steps:
        - { name: one, invoke: !ref inner, inputs: { n: 1 } }
        - { name: wait, invoke: !ref gate }
        - { name: two, invoke: !ref inner, inputs: { n: !cel steps.wait.result } }
      outputs: !cel steps.two.result.inputs.n`;

it('RK-04 R4 killed in either call and parked between, each scoped call that is on record was made once', async () => {
  const { sandbox, program } = makePlan({
    fragment: '',
    step: STEP,
    tail: '  - { name: told, value: !cel steps.scoped.result }',
    answers: { 'steps/scoped/wait': 'go' },
  });
  expect(await sandbox.command(program.start, { COUNTED_KILL: 'inner' })).toMatchObject({ signal: 'SIGKILL' });
  expect(await sandbox.command(['resume', RUN])).toMatchObject({ code: 2 });
  const answer = ['answer', RUN, '"go"', '--resume'];
  expect(await sandbox.command(answer, { COUNTED_KILL: 'inner' })).toMatchObject({ signal: 'SIGKILL' });
  await driveToEnd(sandbox, program);
  const { status, result, entries } = await sandbox.recorded(RUN);
  expect([status, result]).toMatchObject(['completed', { steps: { told: { result: 'go' } } }]);
  expect(entries.map(({ path }) => path)).toEqual([
    'inputs',
    'steps/scoped/one/inputs',
    'steps/scoped/one',
    'steps/scoped/wait/token',
    'steps/scoped/wait',
    'steps/scoped/two/inputs',
    'steps/scoped/two',
    'steps/scoped',
    'steps/told',
  ]);
  const paths = sandbox.log().flatMap((line) => (line.kind === 'call' ? [line.path] : []));
  expect(paths).toEqual([...Array(2).fill('steps/scoped/one'), ...Array(2).fill('steps/scoped/two')]);
});
