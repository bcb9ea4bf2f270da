import { createCancellationSource, deriveContext } from '@telorun/sdk';
import type { InvokeContext, ResourceContext } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { folderWith, header, open } from './support/application.ts';
import type { Application } from './support/application.ts';
import { PROBE_FILES } from './support/probe-library.ts';

const MANIFEST = `${header('[]').replace('imports:', 'imports:\n  Lib: ./lib')}---
kind: Lib.Probe
metadata: { name: probe }
---
kind: Lib.Failing
metadata: { name: failing }
---
kind: Run.Value
metadata: { name: typed }
inputType:
  type: object
  additionalProperties: false
  required: [n]
  properties: { n: { type: integer }, unit: { type: string, default: kg }, nested: { type: object, default: {} } }
outputType: { type: object, properties: { whole: { type: integer }, part: { type: number } } }
value: { whole: !cel double(inputs.n), part: !cel inputs.n, unit: !cel inputs.unit }
---
kind: Telo.JsonSchema
metadata: { name: Named }
schema: { type: object, required: [a], properties: { a: { type: string } } }
---
kind: Run.Value
metadata: { name: byName }
inputType: Named
value: !cel inputs.a
---
kind: Run.Value
metadata: { name: wrong }
outputType: { type: string }
value: 5
---
kind: Lib.Holder
metadata: { name: holder }
`;

function any(one: object): one is object {
  return typeof one === 'object';
}

function never(one: object): one is object {
  return one === undefined;
}

async function opened(): Promise<Application & { ctx: ResourceContext }> {
  const application = await open(folderWith({ 'telo.yaml': MANIFEST, ...PROBE_FILES }));
  return { ...application, ctx: Reflect.get(application.kernel.instance('probe'), 'ctx') };
}

it('RT-21 fills defaults into a copy of the inputs and makes declared integers whole', async () => {
  const { kernel } = await opened();
  const inputs = { n: 3n };
  expect(await kernel.invoke('typed', inputs)).toEqual({ whole: 3n, part: 3, unit: 'kg' });
  expect(inputs).toEqual({ n: 3n });
});

it('RT-21 refuses inputs and results outside the contract, and admits what is inside', async () => {
  const { kernel } = await opened();
  await expect(kernel.invoke('typed', { n: 'three' })).rejects.toMatchObject({
    code: 'ERR_INPUT_INVALID',
    data: { resource: 'typed' },
  });
  await expect(kernel.invoke('typed', { n: 1, other: 1 })).rejects.toMatchObject({ code: 'ERR_INPUT_INVALID' });
  await expect(kernel.invoke('byName', {})).rejects.toMatchObject({ code: 'ERR_INPUT_INVALID' });
  await expect(kernel.invoke('wrong')).rejects.toMatchObject({ code: 'ERR_OUTPUT_INVALID' });
  expect(await kernel.invoke('byName', { a: 'x' })).toBe('x');
});

it('RT-22 wraps what is no InvokeError, leaves coded rejections, cancellations and lost claims as they are', async () => {
  const { kernel, events } = await opened();
  await expect(kernel.invoke('failing')).rejects.toMatchObject({
    code: 'ERR_EXECUTION_FAILED',
    message: 'plain plain',
    name: 'RuntimeError',
  });
  await expect(kernel.invoke('failing', { how: 'coded' })).rejects.toMatchObject({ code: 'ERR_CODED' });
  await expect(kernel.invoke('failing', { how: 'lost' })).rejects.toMatchObject({ code: 'ERR_DURABLE_CLAIM_LOST' });
  const outcomes = events.flatMap((event) => (event.type === 'dispatch' ? [event.outcome] : []));
  expect(outcomes).toEqual(['InvokeFailed', 'InvokeRejected', 'InvokeFailed']);
});

it('RT-22 dispatches nothing into a cancelled tree', async () => {
  const { kernel, ctx, events } = await opened();
  const source = createCancellationSource();
  const context = deriveContext(ctx.rootContext(), { cancellation: source.token });
  expect(await ctx.invoke('Run.Value', 'byName', { a: 'x' }, { ctx: context })).toBe('x');
  source.cancel('enough');
  await expect(ctx.invoke('Run.Value', 'byName', { a: 'x' }, { ctx: context })).rejects.toMatchObject({
    code: 'ERR_INVOKE_CANCELLED',
  });
  expect(events.map((event) => (event.type === 'dispatch' ? event.outcome : ''))).toEqual([
    'Invoked',
    'InvokeCancelled',
  ]);
  const aborted = AbortSignal.abort('stopped');
  await expect(kernel.invoke('failing', { how: 'cancelled' }, { signal: aborted })).rejects.toMatchObject({
    code: 'ERR_INVOKE_CANCELLED',
  });
  expect(await kernel.invoke('failing', { how: 'cancelled' })).toBe('not cancelled');
});

it('RT-22 tells a kernel that is cancelled to everything that runs', async () => {
  const { kernel } = await opened();
  kernel.cancel('interrupted');
  await expect(kernel.invoke('failing', { how: 'cancelled' })).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
});

it('RT-23 inherits the context of the enclosing dispatch only where none is passed', async () => {
  const { ctx } = await opened();
  const seen: (InvokeContext | undefined)[] = [];
  const inner = { invoke: async (_inputs: unknown, context?: InvokeContext) => void seen.push(context) };
  const outer = {
    invoke: async () => {
      await ctx.invokeResolved('X', 'inner', inner, {});
      await ctx.invokeResolved('X', 'inner', inner, {}, ctx.rootContext());
    },
  };
  const context = deriveContext(ctx.rootContext(), { durablePath: 'steps/outer' });
  await ctx.invokeResolved('X', 'outer', outer, {}, context);
  expect(seen.map((one) => one?.durablePath)).toEqual(['steps/outer', undefined]);
});

it('RT-24 opens the zone that a kind declares on a slot, innermost first; a Service and detached work leave zones behind', async () => {
  const { ctx, kernel } = await opened();
  const seen = await ctx.withZone('steps', async (context, entry) => {
    const twice = await ctx.withZone('steps', async (inner) => ctx.zoneAttributes?.(inner), context);
    return { entry, once: ctx.zoneAttributes?.(context), twice, ambient: ctx.zoneAttributes?.() };
  });
  const attributes = { noSuspend: 'the probe holds a lock', idempotent: 'it is repeated whole' };
  expect(seen.once).toEqual([{ kind: 'Lib.Probe', attributes, entry: seen.entry }]);
  expect(seen.entry.provider).toBe(kernel.instance('probe'));
  expect(seen.twice?.length).toBe(2);
  expect(seen.twice?.[1]?.entry).toBe(seen.entry);
  expect(seen.ambient).toEqual(seen.once);
  expect(ctx.zoneAttributes?.()).toEqual([]);
  await expect(ctx.withZone('targets', async () => 1)).rejects.toMatchObject({ code: 'ERR_ZONE_ANNOTATION_MISSING' });
  let detached: unknown;
  await ctx.withZone('steps', async () => ctx.runDetached(async () => (detached = ctx.zoneAttributes?.())));
  await kernel.idle();
  expect(detached).toEqual([]);
});

it('RT-25 evaluates expressions over the module and an extra scope, into fresh containers', async () => {
  const { ctx } = await opened();
  const plain = { a: [1, { b: 2 }] };
  const copied = ctx.expandValue(plain);
  expect(copied).toEqual(plain);
  expect(copied).not.toBe(plain);
  const instance = ctx.resolveRef({ kind: 'Run.Value', name: 'byName' }, (one): one is typeof one => true, 'a test');
  expect(ctx.expandValue({ instance })).toEqual({ instance });
  expect(Reflect.get(Object(ctx.expandValue({ instance })), 'instance')).toBe(instance);
});

it('RT-26 resolves references by instance, by name and by alias, and says what is wrong with others', async () => {
  const { ctx, kernel } = await opened();
  expect(ctx.resolveRef(kernel.instance('typed'), any, 'a test')).toBe(kernel.instance('typed'));
  expect(ctx.resolveRef({ kind: 'Lib.Probe', name: 'shared', alias: 'Lib' }, any, 'a test')).toBe(
    kernel.instance('Lib.shared'),
  );
  expect(() => ctx.resolveRef(undefined, any, 'a test')).toThrow(expect.objectContaining({ code: 'ERR_REF_REQUIRED' }));
  expect(() => ctx.resolveRef({ kind: 'X', name: 'nobody' }, any, 'a test')).toThrow(
    expect.objectContaining({ code: 'ERR_REF_UNRESOLVED' }),
  );
  expect(() => ctx.resolveRef(kernel.instance('typed'), never, 'a test', 'a journal')).toThrow(
    expect.objectContaining({ code: 'ERR_REF_UNRESOLVED' }),
  );
  expect(() => ctx.ensureKindRef({ kind: 'Run.Value', value: 1 })).toThrow(
    expect.objectContaining({ code: 'ERR_RESOURCE_NOT_FOUND' }),
  );
  expect(ctx.ensureKindRef(kernel.instance('typed'))).toEqual({ kind: 'Run.Value', name: 'typed' });
});

it('RT-27 gives a controller from a manifest nothing of the kernel', async () => {
  const { ctx } = await opened();
  expect('kernel' in ctx).toBe(false);
});

it('RT-28 protects the manifests and the controllers that were loaded', async () => {
  const { ctx, folder } = await opened();
  const files = ['telo.yaml', 'lib/telo.yaml', 'lib/probe.mjs', 'lib/probe.mjs.map'].map((file) => `${folder}/${file}`);
  expect(ctx.protectedPaths?.()).toEqual(expect.arrayContaining(files));
});

it('RT-29 resolves files below the folder of the declaring module, and none outside', async () => {
  const { ctx, folder } = await opened();
  expect(await ctx.resolveModuleFile('a/b.md')).toBe(`file://${folder}/a/b.md`);
  await expect(ctx.resolveModuleFile('../b.md')).rejects.toMatchObject({ code: 'ERR_MODULE_FILE_OUTSIDE' });
  expect(ctx.getEntryUrl()).toBe(`file://${folder}/telo.yaml`);
});

it('RT-41 is idle when every hold is released and detached work has settled; a failure of it is logged', async () => {
  const { kernel, ctx, stderr } = await opened();
  await ctx.run('holder');
  let idle = false;
  const waiting = kernel.idle().then(() => (idle = true));
  let finish: (() => void) | undefined;
  ctx.runDetached(() => new Promise<void>((_resolve, reject) => (finish = () => reject(new Error('broken')))));
  await new Promise((resolve) => setImmediate(resolve));
  Reflect.get(kernel.instance('holder'), 'release')();
  await new Promise((resolve) => setImmediate(resolve));
  expect(idle).toBe(false);
  finish?.();
  await waiting;
  expect(stderr()).toMatch(/"level":"error".*background\.task\.error.*broken/);
});

it('RT-42 keeps the highest exit code that was requested', async () => {
  const { kernel, ctx } = await opened();
  ctx.requestExit(3);
  ctx.requestExit(1);
  expect(kernel.exitCode).toBe(3);
});
