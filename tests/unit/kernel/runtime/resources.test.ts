import { getRefIdentity } from '@telorun/sdk';
import { beforeEach, expect, it } from 'vitest';
import { folderWith, header, open } from './support/application.ts';
import type { Application } from './support/application.ts';
import { PROBE_FILES } from './support/probe-library.ts';

beforeEach(() => {
  Reflect.set(globalThis, 'probeTrace', []);
  Reflect.set(globalThis, 'lateTries', new Map());
});

function trace(): readonly unknown[] {
  const traced: unknown = Reflect.get(globalThis, 'probeTrace');
  return Array.isArray(traced) ? traced : [];
}

const WITH_LIB = header('[]').replace('imports:', 'imports:\n  Lib: ./lib');

function opened(resources: string, files: Readonly<Record<string, string>> = {}): Promise<Application> {
  return open(folderWith({ 'telo.yaml': `${WITH_LIB}${resources}`, ...PROBE_FILES, ...files }));
}

function seen(application: Application, name: string): Record<string, unknown> {
  return { ...Reflect.get(application.kernel.instance(name), 'seen') };
}

it('RT-10 creates and initialises what is needed first, registers each controller once, tears down in reverse', async () => {
  const { kernel } = await opened(`---
kind: Lib.Probe
metadata: { name: outer }
profile: !ref inner
---
kind: Lib.Probe
metadata: { name: inner }
`);
  await kernel.close();
  expect(trace()).toEqual([
    'register Probe',
    'create shared',
    'init shared',
    'create inner',
    'init inner',
    'create outer',
    'init outer',
    'teardown outer',
    'teardown inner',
    'teardown shared',
  ]);
});

const pair = (second: string): string => `---
kind: Lib.Probe
metadata: { name: a }
profile: !ref b
---
kind: Lib.Probe
metadata: { name: b }
${second}`;

it('RT-12 refuses a circle of references, and allows the same resources without it', async () => {
  await expect(opened(pair('profile: !ref a\n'))).rejects.toMatchObject({ code: 'ERR_CIRCULAR_DEPENDENCY' });
  expect(trace()).toEqual([]);
  await opened(pair(''));
});

it('RT-15 tries again what answers null, while others wait for it', async () => {
  const { kernel } = await opened(`---
kind: Lib.Probe
metadata: { name: waiting }
profile: !ref late
---
kind: Lib.Late
metadata: { name: late }
after: 3
`);
  expect(await kernel.invoke('late')).toBe(3);
  expect(Reflect.get(Reflect.get(kernel.instance('waiting'), 'resource'), 'profile')).toBe(kernel.instance('late'));
});

it('RT-15 gives up on what never gets ready, and tears down what is', async () => {
  const never = opened(`---\nkind: Lib.Late\nmetadata: { name: never }\nafter: 1000\n`);
  await expect(never).rejects.toMatchObject({ code: 'ERR_RESOURCE_INITIALIZATION_FAILED', data: { name: 'never' } });
  expect(trace()).toEqual(['register Probe', 'create shared', 'init shared', 'teardown shared']);
});

it('RT-15 names the resource whose creation failed, and why', async () => {
  const failing = opened(`---\nkind: Lib.Failing\nmetadata: { name: bad }\nwhen: create\n`);
  await expect(failing).rejects.toMatchObject({
    code: 'ERR_RESOURCE_INITIALIZATION_FAILED',
    data: { name: 'bad', kind: 'Lib.Failing' },
  });
});

it('RT-16 puts live instances into reference slots before init: direct, in arrays, in maps; elsewhere they stay names', async () => {
  const application = await opened(`---
kind: Run.Value
metadata: { name: one }
value: 1
---
kind: Lib.Probe
metadata: { name: probe }
profile: !ref Lib.shared
operations: [ { name: op, invoke: !ref one } ]
targets: { first: !ref Console.writeLine }
late: { free: !ref one }
`);
  const { kernel } = application;
  const resource = Reflect.get(kernel.instance('probe'), 'resource');
  expect(resource.profile).toBe(kernel.instance('Lib.shared'));
  expect(resource.operations[0].invoke).toBe(kernel.instance('one'));
  expect(getRefIdentity(resource.targets.first)).toMatchObject({ kind: 'Console.WriteLine', name: 'writeLine' });
  expect(resource.late).toEqual({ free: { kind: 'Run.Value', name: 'one' } });
  expect(seen(application, 'probe')).toMatchObject({
    selfInCreate: 'ERR_RESOURCE_IDENTITY_UNBOUND',
    self: { kind: 'Lib.Probe', name: 'probe' },
    created: {
      kind: 'Lib.Probe',
      profile: { kind: 'Lib.Probe', name: 'shared', alias: 'Lib' },
      operations: [{ invoke: { kind: 'Run.Value', name: 'one' } }],
    },
  });
});

it('RT-17 lifts inline resources out of their slots, named by where they stand', async () => {
  const { kernel } = await opened(`---
kind: Lib.Probe
metadata: { name: probe }
operations: [ { name: ask, invoke: { kind: Run.Value, value: 42 } } ]
targets: { first: { kind: Run.Value, value: !cel "'in ' + module.name" } }
`);
  expect(await kernel.invoke('probe_operations_ask_invoke')).toBe(42);
  expect(await kernel.invoke('probe_targets_first')).toBe('in Probe');
  expect(getRefIdentity(kernel.instance('probe_targets_first'))).toEqual({
    kind: 'Run.Value',
    name: 'probe_targets_first',
    origin: { module: 'Probe', pointer: 'probe#/targets/first' },
  });
});

it('RT-14 evaluates compile-time fields before create, runtime fields never', async () => {
  const application = await opened(`---
kind: Lib.Provider
metadata: { name: numbers }
label: !cel "'n' + string(1 + 1)"
---
kind: Lib.Probe
metadata: { name: probe }
early: !cel resources.numbers.label + '!'
late: !cel inputs.x
`);
  expect(seen(application, 'probe')['created']).toMatchObject({ early: 'n2!' });
  expect(await application.kernel.invoke('probe', { x: 7 })).toMatchObject({ late: 7 });
});

it('RT-14 holds what an expression answers to the schema of the kind', async () => {
  const wrong = opened(`---\nkind: Lib.Provider\nmetadata: { name: numbers }\nlabel: !cel "[1]"\n`);
  await expect(wrong).rejects.toMatchObject({ cause: { code: 'ERR_RESOURCE_SCHEMA_VALIDATION_FAILED' } });
});

it('RT-18 gives each alias of a library a scope of its own, with the variables its importer states', async () => {
  const manifest = WITH_LIB.replace(
    'Lib: ./lib',
    'Lib: { source: ./lib, variables: { tag: first } }\n  Other: { source: ./lib, variables: { tag: second } }',
  );
  const { kernel } = await open(folderWith({ 'telo.yaml': manifest, ...PROBE_FILES }));
  expect(await kernel.invoke('Lib.shared')).toMatchObject({ late: 'first seen by Lib' });
  expect(await kernel.invoke('Other.shared')).toMatchObject({ late: 'second seen by Lib' });
  const contexts = ['Lib.shared', 'Other.shared'].map(
    (name) => Reflect.get(kernel.instance(name), 'ctx').moduleContext,
  );
  expect(contexts[0]).not.toBe(contexts[1]);
  expect(getRefIdentity(kernel.instance('Lib.shared'))?.origin).toEqual({ module: 'Lib' });
});

it('RT-19 lists the instances of a kind, exported ones by their alias', async () => {
  const { kernel } = await opened(`---\nkind: Lib.Probe\nmetadata: { name: mine }\n`);
  expect(kernel.instancesOfKind('Lib.Probe').map(({ name }) => name)).toEqual(['mine', 'Lib.shared']);
  expect(kernel.instancesOfKind('Run.Value')).toEqual([]);
  expect(() => kernel.instance('nobody')).toThrow(expect.objectContaining({ code: 'ERR_RESOURCE_NOT_FOUND' }));
});

it('RT-44 attempts every teardown, a higher priority later, and rejects with the first that failed', async () => {
  const { kernel, stderr } = await opened(`---
kind: Lib.Provider
metadata: { name: last }
---
kind: Lib.Probe
metadata: { name: breaking }
---
kind: Lib.Probe
metadata: { name: other }
`);
  Reflect.set(kernel.instance('breaking'), 'teardown', () => {
    throw new Error('stuck');
  });
  await expect(kernel.close()).rejects.toThrow('stuck');
  expect(trace()).toEqual(expect.arrayContaining(['teardown other', 'teardown shared']));
  expect(trace().at(-1)).toBe('teardown last');
  expect(stderr()).toMatch(/"level":"error".*teardown failed.*"resource":"breaking".*stuck/);
});
