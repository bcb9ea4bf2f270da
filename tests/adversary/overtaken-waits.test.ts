import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { isWorkflow } from '../../kernel/durable/references.ts';
import type { WorkflowInstance } from '../../kernel/durable/workflow-instance.ts';
import type { Application } from '../unit/kernel/runtime/support/application.ts';
import { folderWith, header, open } from '../unit/kernel/runtime/support/application.ts';

const MANIFESTS = resolve(import.meta.dirname, '../../manifests');

const LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
exports: { kinds: [Work] }
---
kind: Telo.Definition
metadata: { name: Work, description: Fails as often as it is told to. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./work.mjs#Work" ]
schema: { type: object, additionalProperties: false, properties: { failures: { type: integer } } }
`;

const CODE = `const calls = new Map();
export const Work = {
  create: (resource, ctx) => ({
    invoke: async () => {
      const key = resource.metadata.name + ctx.env.J;
      calls.set(key, (calls.get(key) ?? 0) + 1);
      if (calls.get(key) <= (resource.failures ?? 0)) throw new Error('it failed');
      return calls.get(key);
    },
  }),
};
`;

/** One element of each fan-out waits, the other fails: before it waits, or beside it. */
function manifest(failures: number): string {
  const imports = `imports:
  Lib: ./lib
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  Journal: ${MANIFESTS}/durable-journal-sqlite
  Xmd: ${MANIFESTS}/xmd`;
  return `${header('[]').replace('imports:', imports).replace('targets: []', 'variables: { journal: { env: J, type: string } }\ntargets: []')}---
kind: Journal.Journal
metadata: { name: runs }
file: !cel variables.journal
---
kind: Lib.Work
metadata: { name: works }
failures: ${failures}
---
kind: Lib.Work
metadata: { name: undoes }
---
kind: Durable.Await
metadata: { name: gate }
---
kind: Xmd.Profile
metadata: { name: files }
root: ./files
grants: [read, write]
operations:
  - { name: Ask, form: self-closing, grant: read, description: Asks., revision: '1', invoke: !ref gate }
---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref files
allow: [read, write]
text: '<File path="a.md">a</File><Ask />'
---
kind: Run.Iteration
metadata: { name: both }
collection: [1, 2]
concurrency: 2
steps:
  - { name: apply, invoke: !ref apply, when: !cel item == 1 }
  - { name: work, invoke: !ref works, when: !cel item == 2 }
---
kind: Run.Iteration
metadata: { name: answered }
collection: [1, 2]
concurrency: 2
catches: [{ value: instead }]
steps:
  - { name: apply, invoke: !ref apply, when: !cel item == 1 }
  - { name: work, invoke: !ref works, when: !cel item == 2 }
---
kind: DurableLocal.Workflow
metadata: { name: catch }
journal: !ref runs
steps:
  - name: guarded
    try: [{ name: both, invoke: !ref both }]
    catch: [{ name: undo, invoke: !ref undoes }]
  - { name: after, invoke: !ref undoes }
---
kind: DurableLocal.Workflow
metadata: { name: finally }
journal: !ref runs
steps:
  - name: outer
    try:
      - name: guarded
        try: [{ name: both, invoke: !ref both }]
        finally: [{ name: undo, invoke: !ref undoes }]
    catch: [{ name: after, invoke: !ref undoes }]
---
kind: DurableLocal.Workflow
metadata: { name: catches }
journal: !ref runs
steps:
  - { name: both, invoke: !ref answered }
  - { name: undo, invoke: !ref undoes }
  - { name: after, invoke: !ref undoes }
---
kind: DurableLocal.Workflow
metadata: { name: retry }
journal: !ref runs
steps:
  - { name: both, invoke: !ref both, retry: { attempts: 1, initialDelay: 1, jitter: none } }
`;
}

function workflow({ kernel }: Application, name: string): WorkflowInstance {
  const found = kernel.instancesOfKind('DurableLocal.Workflow').find((one) => one.name === name);
  if (found === undefined || !isWorkflow(found.instance)) throw new Error('there is no such workflow');
  return found.instance;
}

async function application(failures: number): Promise<Application> {
  const files = { 'telo.yaml': manifest(failures), 'lib/telo.yaml': LIBRARY, 'lib/work.mjs': CODE, 'files/b.md': '' };
  const folder = folderWith(files);
  return open(folder, { env: { J: `${folder}/runs.db` } });
}

function performed({ events }: Application, name: string): number {
  return events.filter((event) => event.type === 'dispatch' && event.name === name).length;
}

it.each(['catch', 'finally', 'catches'])(
  'S3 S9 ST-39 a failure that overtook a wait and is handled by %s ends the wait, and the run is settled',
  async (how) => {
    const tried = await application(1);
    const started = await workflow(tried, how).start({ runId: 'r', inputs: {} });
    expect(await started.done).toMatchObject({ status: 'completed' });
    expect({ works: performed(tried, 'works'), undoes: performed(tried, 'undoes') }).toEqual({ works: 1, undoes: 2 });
    const { journal } = workflow(tried, how);
    expect(await journal.answer({ run: 'r' }, 'late')).toMatchObject({ delivered: false });
  },
);

it('S8 S9 ST-39 a failure that overtook a wait is sent again, and the evaluation that waits is entered anew', async () => {
  const tried = await application(1);
  const started = await workflow(tried, 'retry').start({ runId: 'r', inputs: {} });
  expect(await started.done).toMatchObject({ status: 'parked', waits: [{ path: expect.stringMatching(/Ask$/) }] });
  const { journal } = workflow(tried, 'retry');
  expect(await journal.answer({ run: 'r' }, 'go')).toMatchObject({ delivered: true });
  expect(await workflow(tried, 'retry').execute('r')).toMatchObject({ status: 'completed' });
  expect(performed(tried, 'works')).toBe(2);
  const paths = (await journal.readEntries('r')).map(({ path }) => path);
  expect(paths.filter((path) => path.endsWith('/File'))).toEqual(['steps/both/iterate[0]/apply/xmd[0]/File']);
});

it.each(['catch', 'finally', 'catches', 'retry'])('S9 without a failure %s waits, once, and goes on', async (how) => {
  const tried = await application(0);
  const started = await workflow(tried, how).start({ runId: 'r', inputs: {} });
  expect(await started.done).toMatchObject({ status: 'parked' });
  const { journal } = workflow(tried, how);
  expect(await journal.answer({ run: 'r' }, 'go')).toMatchObject({ delivered: true });
  expect(await workflow(tried, how).execute('r')).toMatchObject({ status: 'completed' });
  expect(performed(tried, 'works')).toBe(1);
});
