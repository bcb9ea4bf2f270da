import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { ResourceContext } from '@telorun/sdk';
import { isWorkflow } from '../../../../kernel/durable/references.ts';
import type { WorkflowInstance } from '../../../../kernel/durable/workflow-instance.ts';
import type { Kernel } from '../../../../kernel/index.ts';
import { folderWith, header, open } from './support/application.ts';
import { PROBE_FILES } from './support/probe-library.ts';

const JOURNAL = resolve(import.meta.dirname, '../../../../manifests/durable-journal-sqlite');

const MANIFEST = `${header('[]').replace(
  'imports:',
  `imports:
  Lib: ./lib
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  Journal: ${JOURNAL}`,
)}---
kind: Journal.Journal
metadata: { name: runs }
file: !cel variables.journal
---
kind: Lib.Probe
metadata: { name: probe }
late: !cel inputs.n * 2.0
---
kind: Durable.Await
metadata: { name: gate }
---
kind: Run.Iteration
metadata: { name: each }
collection: !cel inputs.numbers
concurrency: 2
steps:
  - { name: double, invoke: !ref probe, inputs: { n: !cel item } }
  - { name: wait, invoke: !ref gate, when: !cel index == 1 }
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
runId: !cel inputs.id
inputs: { numbers: !cel inputs.numbers }
steps:
  - { name: each, invoke: !ref each, inputs: { numbers: !cel inputs.numbers } }
  - { name: end, invoke: { kind: Run.Value, value: !cel size(inputs.numbers) }, inputs: { numbers: !cel inputs.numbers } }
`.replace('targets: []', 'variables: { journal: { env: J, type: string } }\ntargets: []');

function workflow(kernel: Kernel): WorkflowInstance {
  const [found] = kernel.instancesOfKind('DurableLocal.Workflow');
  if (found === undefined || !isWorkflow(found.instance)) throw new Error('there is no workflow');
  return found.instance;
}

function folder(): { folder: string; env: Record<string, string> } {
  const made = folderWith({ 'telo.yaml': MANIFEST, ...PROBE_FILES });
  return { folder: made, env: { J: `${made}/runs.db` } };
}

it('RT-50 runs a durable workflow over a loaded journal: one branch parks, its siblings finish, a new kernel goes on', async () => {
  const { folder: place, env } = folder();
  const first = await open(place, { env });
  const started = await workflow(first.kernel).start({ inputs: { id: 'r1', numbers: [1, 2, 3] } });
  expect(await started.done).toMatchObject({ status: 'parked' });
  const dispatched = first.events.flatMap((event) =>
    event.type === 'dispatch' && event.name === 'probe' ? [event.outcome] : [],
  );
  expect(dispatched).toEqual(['Invoked', 'Invoked', 'Invoked']);
  await first.kernel.close();
  const second = await open(place, { env });
  const { journal } = workflow(second.kernel);
  expect(await journal.answer({ run: 'r1' }, 'go')).toMatchObject({
    delivered: true,
    path: 'steps/each/iterate[1]/wait',
  });
  expect(await workflow(second.kernel).execute('r1')).toMatchObject({ status: 'completed' });
  expect(second.events.filter((event) => event.type === 'dispatch' && event.name === 'probe')).toEqual([]);
  const paths = (await journal.readEntries('r1')).map(({ path }) => path);
  expect(paths.filter((path) => path.endsWith('/double')).toSorted()).toEqual(
    [0, 1, 2].map((n) => `steps/each/iterate[${n}]/double`),
  );
});

it('RT-51 finds the program of a run again, and digests the workflow resource alone', async () => {
  const { folder: place, env } = folder();
  const { kernel } = await open(place, { env });
  const started = await workflow(kernel).start({ inputs: { id: 'r2', numbers: [] } });
  await started.done;
  const record = await workflow(kernel).journal.readRun('r2');
  const document = kernel.module.documents.find(({ name }) => name === 'flow');
  const digest = createHash('sha256')
    .update(document?.canonical() ?? '')
    .digest('hex');
  expect(record?.program).toMatchObject({ workflow: 'flow', digest: `sha256:${digest}` });
  expect(record?.program?.manifest).toMatch(/telo\.yaml$/);
});

it('RT-28 protects the journal once it is there', async () => {
  const { folder: place, env } = folder();
  const { kernel } = await open(place, { env });
  await (
    await workflow(kernel).start({ inputs: { id: 'r3', numbers: [] } })
  ).done;
  const ctx: ResourceContext = Reflect.get(kernel.instance('probe'), 'ctx');
  expect(ctx.protectedPaths?.()).toContain(`${place}/runs.db`);
});

it('RT-43 leaves a run resumable when the kernel is cancelled', async () => {
  const { folder: place, env } = folder();
  const first = await open(place, { env });
  first.kernel.cancel('interrupted');
  const started = await workflow(first.kernel).start({ inputs: { id: 'r4', numbers: [1] } });
  expect((await started.done).status).toBe('running');
  await first.kernel.close();
  const second = await open(place, { env });
  expect(await workflow(second.kernel).execute('r4')).toMatchObject({ status: 'completed' });
});

it.each([
  ['a name', 'outputType: Decision'],
  ['a reference', 'outputType: !ref Decision'],
])('RT-52 records the schema of a wait whose type is %s', async (_how, stated) => {
  const typed = MANIFEST.replace('metadata: { name: gate }', `metadata: { name: gate }\n${stated}`).concat(`---
kind: Telo.JsonSchema
metadata: { name: Decision }
schema: { type: object, required: [yes], properties: { yes: { type: boolean } } }
`);
  const place = folderWith({ 'telo.yaml': typed, ...PROBE_FILES });
  const { kernel } = await open(place, { env: { J: `${place}/runs.db` } });
  const started = await workflow(kernel).start({ inputs: { id: 'r5', numbers: [1, 2] } });
  const { waits } = await started.done;
  expect(waits).toMatchObject([{ schema: { type: 'object', required: ['yes'] } }]);
  await kernel.close();
});
