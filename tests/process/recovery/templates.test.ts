import { expect, it } from 'vitest';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN } from '../../support/processes/plan.ts';

/** Two steps of one templated kind: its body calls, waits and calls again; the other answers with the wait itself. */
const STEP = `
  - name: one
    invoke: !ref deploys
    inputs: { n: 1 }
  - name: asked
    invoke: { kind: Self.Asking, question: sure }`;

const TAIL = `  - { name: told, value: !cel "steps.one.result.said + steps.asked.result" }
---
kind: Self.Deploying
metadata: { name: deploys }
who: Ada
---
kind: Telo.Definition
metadata: { name: Deploying, description: Deploys when it is told to. }
capability: Telo.Invocable
schema: { type: object, additionalProperties: false, properties: { who: { type: string } } }
resources:
  - { kind: Counted.Operation, metadata: { name: inner } }
  - { kind: Durable.Await, metadata: { name: gate } }
  - kind: Run.Sequence
    metadata: { name: body }
    steps:
      - { name: one, invoke: !ref inner, inputs: { who: !cel self.who, n: !cel inputs.n } }
      - { name: wait, invoke: !ref gate }
      - { name: two, invoke: !ref inner, inputs: { who: !cel self.who, said: !cel steps.wait.result } }
    outputs: !cel steps.two.result.inputs
invoke: !ref body
inputs: { n: !cel inputs.n + 1.0 }
result: { said: !cel self.who + ' ' + result.said }
---
kind: Telo.Definition
metadata: { name: Asking, description: Asks. }
capability: Telo.Invocable
schema: { type: object, additionalProperties: false, properties: { question: { type: string } } }
resources: [{ kind: Durable.Await, metadata: { name: person } }]
invoke: !ref person
result: !cel "', ' + self.question + ' ' + result"`;

it('TP-09 R4 killed in either call and parked between, each call inside a template that is on record was made once', async () => {
  const { sandbox, program } = makePlan({
    fragment: '',
    step: STEP,
    tail: TAIL,
    answers: { 'steps/one/invoke/wait': 'go', 'steps/asked/invoke': 'yes' },
  });
  expect(await sandbox.command(program.start, { COUNTED_KILL: 'inner' })).toMatchObject({ signal: 'SIGKILL' });
  expect(await sandbox.command(['resume', RUN])).toMatchObject({ code: 2 });
  const answer = ['answer', RUN, '"go"', '--resume'];
  expect(await sandbox.command(answer, { COUNTED_KILL: 'inner' })).toMatchObject({ signal: 'SIGKILL' });
  await driveToEnd(sandbox, program);
  const { status, result, entries } = await sandbox.recorded(RUN);
  expect([status, result]).toMatchObject(['completed', { steps: { told: { result: 'Ada go, sure yes' } } }]);
  expect(entries.map(({ path }) => path)).toEqual([
    'inputs',
    'steps/one/inputs',
    'steps/one/invoke/inputs',
    'steps/one/invoke/one/inputs',
    'steps/one/invoke/one',
    'steps/one/invoke/wait/token',
    'steps/one/invoke/wait',
    'steps/one/invoke/two/inputs',
    'steps/one/invoke/two',
    'steps/one/invoke',
    'steps/one',
    'steps/asked/invoke/inputs',
    'steps/asked/invoke/token',
    'steps/asked/invoke',
    'steps/asked',
    'steps/told',
  ]);
  const targets = entries.flatMap(({ path, target }) =>
    target === undefined ? [] : [[path, target.kind, target.name]],
  );
  expect(targets).toEqual([
    ['steps/one/invoke/one', 'Counted.Operation', 'inner'],
    ['steps/one/invoke/two', 'Counted.Operation', 'inner'],
    ['steps/one/invoke', 'Run.Sequence', 'body'],
    ['steps/one', 'Sandbox.Deploying', 'deploys'],
    ['steps/asked', 'Sandbox.Asking', 'WorkflowMainSteps1Asked'],
  ]);
  const paths = sandbox.log().flatMap((line) => (line.kind === 'call' ? [line.path] : []));
  expect(paths).toEqual([...Array(2).fill('steps/one/invoke/one'), ...Array(2).fill('steps/one/invoke/two')]);
});
