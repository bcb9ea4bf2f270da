import { createCancellationSource, deriveContext } from '@telorun/sdk';
import type { InvokeContext, ResourceContext } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { checkManifests } from '../../../../kernel/check/check-manifests.ts';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { folderWith, header, open } from './support/application.ts';

/** A library whose kind logs its life, and a service that says when it has started. */
const LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
exports: { kinds: [Part, Server] }
---
kind: Telo.Definition
metadata: { name: Part, description: Logs its life. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./part.mjs#Part" ]
schema:
  type: object
  additionalProperties: false
  properties:
    uses: { x-telo-ref: { kind: Telo.Resource, use: dependency } }
    how: { type: string }
    label: { type: string, x-telo-eval: compile }
---
kind: Telo.Definition
metadata: { name: Server, description: Serves. }
capability: Telo.Service
controllers: [ "pkg:telo/local/js?path=./part.mjs#Server" ]
schema: { type: object, additionalProperties: false, properties: { how: { type: string } } }
`;
const BUNDLE = `const log = (globalThis.scopedLog ??= []);
export const Part = { create: (resource, ctx) => ({
  ctx, log,
  init: () => { if (resource.how === 'broken') throw new Error('no part'); log.push('init ' + resource.metadata.name); },
  invoke: async (inputs, context) => {
    log.push('invoke ' + resource.metadata.name);
    if (resource.how === 'park') await context.durable.park({ path: context.durablePath, resource: 'part' }, { token: 't' });
    if (resource.how === 'fail') throw new Error('no ' + resource.metadata.name);
    return { inputs, label: resource.label ?? null, uses: resource.uses === undefined ? null : await resource.uses.invoke({}) };
  },
  snapshot: () => ({ named: resource.metadata.name }),
  teardown: () => { log.push('teardown ' + resource.metadata.name); if (resource.how === 'sticks') throw new Error('stuck'); },
}) };
export const Server = { create: (resource, ctx) => {
  let release;
  return { run: async () => {
      if (resource.how === 'fail') throw new Error('no server');
      release = ctx.acquireHold('serving'); log.push('serves ' + resource.metadata.name); },
    teardown: () => { release?.(); log.push('stops ' + resource.metadata.name); } };
} };
`;

const IMPORTS = header('[]').replace('imports:', 'imports:\n  Lib: ./lib');
const SHARED = `---
kind: Lib.Part
metadata: { name: shared }
`;

function manifest(sequence: string): string {
  return `${IMPORTS}${SHARED}---
kind: Run.Sequence
metadata: { name: main }
${sequence}`;
}

const WITH = `with:
  - { kind: Lib.Part, metadata: { name: outer }, uses: !ref inner, label: !cel "resources.inner.named + '!'" }
  - { kind: Lib.Part, metadata: { name: inner }, uses: !ref shared }
  - { kind: Lib.Server, metadata: { name: server } }
  - kind: Run.Sequence
    metadata: { name: nested }
    steps: [{ name: deep, invoke: { kind: Run.Value, value: !cel inputs.n }, inputs: { n: 5 } }]
targets: [!ref server]
steps:
  - { name: a, invoke: !ref outer, inputs: { n: 1 } }
  - { name: b, invoke: !ref nested }
outputs: { label: !cel steps.a.result.label, deep: !cel steps.b.result.deep.result }
`;

interface Probe {
  readonly ctx: ResourceContext;
  readonly log: string[];
}

function isProbe(value: object): value is Probe {
  return 'log' in value && 'ctx' in value;
}

async function opened(sequence: string) {
  const files = { 'telo.yaml': manifest(sequence), 'lib/telo.yaml': LIBRARY, 'lib/part.mjs': BUNDLE };
  const { kernel, stderr } = await open(folderWith(files));
  const probe = kernel.instance('shared');
  if (!isProbe(probe)) throw new Error('the probe is not there');
  probe.log.length = 0;
  const invoke = (ctx: InvokeContext): Promise<unknown> => probe.ctx.invoke('Run.Sequence', 'main', {}, { ctx });
  return { kernel, probe, stderr, invoke, context: () => probe.ctx.rootContext() };
}

it('RK-02 makes the resources of `with` for each call, in order of need, and tears them down in reverse', async () => {
  const { kernel, probe } = await opened(WITH);
  const life = [
    'init inner',
    'init outer',
    'serves server',
    'invoke outer',
    'invoke inner',
    'invoke shared',
    'stops server',
    'teardown outer',
    'teardown inner',
  ];
  for (const call of [1, 2]) {
    expect(await kernel.invoke('main')).toEqual({ label: 'inner!', deep: 5 });
    expect(probe.log, `call ${call}`).toEqual(life);
    probe.log.length = 0;
  }
  await kernel.idle();
});

it('RK-02 a name inside hides one of the module, for the steps and for what lives there', async () => {
  const { kernel } = await opened(`with:
  - { kind: Lib.Part, metadata: { name: shared }, label: inside }
  - { kind: Lib.Part, metadata: { name: other }, uses: !ref shared }
steps:
  - { name: a, invoke: !ref shared }
  - { name: b, invoke: !ref other }
`);
  expect(await kernel.invoke('main')).toMatchObject({
    a: { result: { label: 'inside' } },
    b: { result: { uses: { label: 'inside' } } },
  });
  expect(await kernel.invoke('shared')).toMatchObject({ label: null });
});

it('RK-02 gives calls at once resources of their own', async () => {
  const { kernel, probe } = await opened(WITH);
  await Promise.all([kernel.invoke('main'), kernel.invoke('main'), kernel.invoke('main')]);
  const count = (line: string) => probe.log.filter((one) => one === line).length;
  expect(['init inner', 'teardown inner', 'init shared', 'serves server', 'stops server'].map(count)).toEqual([
    3, 3, 0, 3, 3,
  ]);
});

it.each([
  [
    'a step fails',
    'with: [{ kind: Lib.Part, metadata: { name: p }, how: fail }]\nsteps: [{ name: a, invoke: !ref p }]\n',
    'no p',
  ],
  [
    'a resource cannot be made',
    'with: [{ kind: Lib.Part, metadata: { name: q } }, { kind: Lib.Part, metadata: { name: p }, how: broken, uses: !ref q }]\nsteps: []\n',
    'no part',
  ],
  [
    'a target fails',
    'with: [{ kind: Lib.Part, metadata: { name: q } }, { kind: Lib.Server, metadata: { name: p }, how: fail }]\ntargets: [!ref p]\nsteps: [{ name: a, invoke: !ref q }]\n',
    'no server',
  ],
])('RK-03 tears down what was made when %s', async (_why, sequence, message) => {
  const { kernel, probe } = await opened(sequence);
  await expect(kernel.invoke('main')).rejects.toThrow(message);
  const made = probe.log.filter((line) => line.startsWith('init')).length;
  expect(probe.log.filter((line) => line.startsWith('teardown'))).toHaveLength(
    _why === 'a resource cannot be made' ? made + 1 : made,
  );
  if (_why === 'a target fails') expect(probe.log).not.toContain('invoke q');
});

it('RK-03 logs a teardown that fails, and answers all the same', async () => {
  const { kernel, stderr } = await opened(
    'with: [{ kind: Lib.Part, metadata: { name: p }, how: sticks }]\nsteps: [{ name: a, invoke: !ref p }]\n',
  );
  expect(await kernel.invoke('main')).toMatchObject({ a: { result: { label: null } } });
  expect(stderr()).toContain('teardown failed');
});

it('RK-04 in a run a scoped step has its record like any other, and a park tears down and makes anew', async () => {
  const { probe, invoke, context } = await opened(`with:
  - { kind: Lib.Part, metadata: { name: done } }
  - { kind: Lib.Part, metadata: { name: waits }, how: park }
steps:
  - { name: a, invoke: !ref done, inputs: { n: 1 } }
  - { name: b, invoke: !ref waits }
`);
  const run = new MemoryRun();
  const within = () => invoke(deriveContext(context(), { durable: run.open(), durablePath: 'steps/main' }));
  await expect(within()).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED' });
  expect(probe.log.filter((line) => line.startsWith('teardown'))).toEqual(['teardown waits', 'teardown done']);
  expect(run.deliver('steps/main/b', 'answer')).toBe(true);
  expect(await within()).toMatchObject({ b: { result: 'answer' } });
  expect(run.keys()).toEqual(['steps/main/a/inputs', 'steps/main/a', 'steps/main/b']);
  expect(run.entries.get('steps/main/a')?.target).toMatchObject({
    kind: 'Lib.Part',
    name: 'done',
    scoped: true,
    scope: { owner: 'main', site: 'with', stepPath: 'steps/main/a' },
  });
  expect(probe.log.filter((line) => line === 'invoke done')).toHaveLength(1);
});

it('RK-04 a cancelled call is torn down, too', async () => {
  const { probe, invoke } = await opened(WITH);
  const source = createCancellationSource();
  source.cancel('by the test');
  await expect(invoke(source.context)).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
  const count = (line: string) => probe.log.filter((one) => one === line).length;
  expect(count('init inner')).toBe(count('teardown inner'));
});

const FAULTS = [
  [
    'a reference to nothing',
    'with: [{ kind: Lib.Part, metadata: { name: p } }]\nsteps: [{ name: a, invoke: !ref q }]',
    '16 UNRESOLVED_REFERENCE',
  ],
  [
    'a name taken twice',
    'with: [{ kind: Lib.Part, metadata: { name: p } }, { kind: Lib.Part, metadata: { name: p } }]\nsteps: []',
    '15 DUPLICATE_RESOURCE_NAME',
  ],
  ['no name', 'with: [{ kind: Lib.Part }]\nsteps: []', '15 SCHEMA_VIOLATION'],
  ['an unknown kind', 'with: [{ kind: Lib.Other, metadata: { name: p } }]\nsteps: []', '15 UNRESOLVED_KIND'],
  ['an unknown field', 'with: [{ kind: Lib.Part, metadata: { name: p }, other: 1 }]\nsteps: []', '15 SCHEMA_VIOLATION'],
  ['a target of the module', 'with: []\ntargets: [!ref shared]\nsteps: []', '16 UNRESOLVED_REFERENCE'],
  [
    'a target that does not run',
    'with: [{ kind: Lib.Part, metadata: { name: p } }]\ntargets: [!ref p]\nsteps: []',
    '16 REFERENCE_KIND_MISMATCH',
  ],
  [
    'a step that invokes a service',
    'with: [{ kind: Lib.Server, metadata: { name: p } }]\nsteps: [{ name: a, invoke: !ref p }]',
    '16 REFERENCE_KIND_MISMATCH',
  ],
  [
    'an expression that reads it as a resource',
    'with: [{ kind: Lib.Part, metadata: { name: p } }]\nsteps: [{ name: a, value: !cel resources.p }]',
    '16 CEL_UNKNOWN_FIELD',
  ],
] as const;

it.each(FAULTS)('RK-05 the check finds %s at its place', async (_what, sequence, found) => {
  const files = { 'telo.yaml': manifest(`${sequence}\n`), 'lib/telo.yaml': LIBRARY, 'lib/part.mjs': BUNDLE };
  const diagnostics = await checkManifests(['telo.yaml'], { cwd: folderWith(files) });
  expect(diagnostics.map(({ code, position }) => `${position.line} ${code}`)).toEqual([found]);
});

it('RK-05 the check finds nothing against what holds', async () => {
  const files = { 'telo.yaml': manifest(WITH), 'lib/telo.yaml': LIBRARY, 'lib/part.mjs': BUNDLE };
  expect(await checkManifests(['telo.yaml'], { cwd: folderWith(files) })).toEqual([]);
});

const DURABLE = `  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
`;

async function checked(sequence: string): Promise<readonly string[]> {
  const text = manifest(sequence).replace('targets: []', 'targets: [!ref main]').replace('  Lib:', `${DURABLE}  Lib:`);
  const files = { 'telo.yaml': text, 'lib/telo.yaml': LIBRARY, 'lib/part.mjs': BUNDLE };
  const found = await checkManifests(['telo.yaml'], { cwd: folderWith(files) });
  return found.map(({ code, position }) => `${position.line} ${code}`);
}

it('RT-45 the check refuses a workflow inside a call, at its line', async () => {
  const found = await checked(
    'with:\n  - { kind: DurableLocal.Workflow, metadata: { name: w }, steps: [] }\nsteps: []\n',
  );
  expect(found).toEqual(['18 SCHEMA_VIOLATION', '18 SCOPED_WORKFLOW']);
});

it('RK-05 zones are followed into what lives inside, through its own references', async () => {
  const inside = `with:
  - { kind: Durable.Await, metadata: { name: gate } }
  - { kind: Run.Sequence, metadata: { name: through }, steps: [{ name: a, invoke: !ref gate }] }
`;
  const unsatisfied = await checked(`${inside}steps: [{ name: a, invoke: !ref through }]\n`);
  expect(unsatisfied.map((line) => line.replace(/^\d+ /, ''))).toEqual(['ZONE_REQUIREMENT_UNSATISFIED']);
  expect(await checked(`${inside}steps: []\n`)).toEqual([]);
});
