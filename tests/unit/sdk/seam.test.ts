import {
  createCancellationSource,
  decodeDurableTarget,
  deriveContext,
  durableHandleOf,
  encodeDurableTarget,
  getRefIdentity,
  InvokeError,
  isCancellationError,
  isInvokeError,
  nestedSegment,
  NEVER_CANCELLED,
  pathSegment,
  repeatPath,
  resolveInvocableDispatcher,
  resolveRefInstance,
  stampRefIdentity,
  stepPath,
  Stream,
  toSequenceError,
  UNCANCELLABLE_CONTEXT,
} from '@telorun/sdk';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { durableContext, fakeContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';

const target = { kind: 'Run.Value', name: 'a', module: 'app' };

it('S1 D-20 performs an effect once and answers its record from then on', async () => {
  const run = new MemoryRun();
  let performed = 0;
  const step = async (): Promise<unknown> => run.open().step('steps/a', target, {}, async () => (performed += 1));

  expect([await step(), await step()]).toEqual([1, 1]);
  expect(performed).toBe(1);
});

it('S1 D-21 refuses another target at a recorded path, and accepts the same', async () => {
  const run = new MemoryRun();
  await run.open().step('steps/a', target, {}, async () => 1);
  const other = { ...target, name: 'b' };

  await expect(run.open().step('steps/a', other, {}, async () => 2)).rejects.toMatchObject({
    code: 'ERR_JOURNAL_ENTRY_MISMATCH',
    data: { run: 'run-1', path: 'steps/a', recorded: target, reached: other },
  });
  expect(await run.open().step('steps/a', undefined, {}, async () => 2)).toBe(1);
});

it('S2 D-22 computes a decision once', async () => {
  const run = new MemoryRun();

  expect(await run.open().decide('p', 'value', () => 'first')).toBe('first');
  expect(await run.open().decide('p', 'value', () => 'second')).toBe('first');
  expect(run.counts.computed).toBe(1);
});

it('S7 D-10 joins segments, a number behind the one before it', () => {
  expect(stepPath('steps', 'poll', 'do', 3, 'fetch')).toBe('steps/poll/do[3]/fetch');
  expect(repeatPath('steps/each', 2)).toBe('steps/each/iterate[2]');
});

it('S7 D-12 escapes the names of records, injectively', () => {
  expect(['inputs', '_inputs', 'retry', 'plan', 'a/b', 'x[1]'].map(nestedSegment)).toEqual([
    '_inputs',
    '__inputs',
    '_retry',
    'plan',
    'a%2Fb',
    'x%5B1%5D',
  ]);
  const names = fc.oneof(fc.constantFrom('inputs', '_inputs', '__inputs', 'retry', 'a/b', 'a%2Fb'), fc.string());
  fc.assert(
    fc.property(names, names, (one, other) => {
      expect(nestedSegment(one) === nestedSegment(other)).toBe(one === other);
      expect(pathSegment(one) === pathSegment(other)).toBe(one === other);
    }),
  );
});

it('D-02 derives a context: replaces, keeps the attempt, takes out what is undefined', () => {
  const handle = new MemoryRun().open();
  const base = durableContext(handle, 'steps/a', { attempt: 2 });

  const derived = deriveContext(base, { durablePath: 'steps/b' });

  expect(derived).toEqual({ ...base, durablePath: 'steps/b' });
  expect(derived.attempt).toBe(2);
  expect(durableHandleOf(derived)).toBe(handle);
  expect(Object.keys(deriveContext(base, { attempt: undefined, durable: undefined }))).toEqual([
    'cancellation',
    'durablePath',
  ]);
  expect(deriveContext(base, { cancellation: undefined }).cancellation).toBe(NEVER_CANCELLED);
  expect(Object.isFrozen(derived)).toBe(true);
  expect(durableHandleOf(undefined)).toBeUndefined();
});

it('D-03 recognises an InvokeError by its brand, across copies of the package', () => {
  const foreign = Object.assign(new Error('x'), { code: 'ERR_X', [Symbol.for('telo.InvokeError')]: true });
  const cause = new Error('why');

  expect(isInvokeError(foreign)).toBe(true);
  expect(isInvokeError(new Error('x'))).toBe(false);
  expect(new InvokeError('ERR_X', 'm', { a: 1 }, { cause })).toMatchObject({ code: 'ERR_X', data: { a: 1 }, cause });
  expect(toSequenceError(foreign, 's')).toEqual({ code: 'ERR_X', message: 'x', data: undefined, step: 's' });
  expect(toSequenceError(new TypeError(''), 's')).toMatchObject({ code: 'INTERNAL_ERROR', message: 'INTERNAL_ERROR' });
  expect(toSequenceError('text', 's')).toMatchObject({ code: 'INTERNAL_ERROR', message: 'text' });
});

it('D-04 cancels once, tells every listener, and says why', () => {
  const source = createCancellationSource();
  const heard: string[] = [];
  const stop = source.token.onCancelled((reason) => heard.push(`stopped ${reason}`));
  source.token.onCancelled((reason) => heard.push(reason));
  stop();

  source.cancel('interrupted');
  source.cancel('again');
  source.token.onCancelled((reason) => heard.push(`late ${reason}`));

  expect(heard).toEqual(['interrupted', 'late interrupted']);
  expect(source.token).toMatchObject({ isCancelled: true, reason: 'interrupted' });
  expect(source.token.signal.aborted).toBe(true);
  expect(source.context.cancellation).toBe(source.token);
  expect(() => source.token.throwIfCancelled()).toThrow(expect.objectContaining({ code: 'ERR_INVOKE_CANCELLED' }));
  expect(() => NEVER_CANCELLED.throwIfCancelled()).not.toThrow();
});

it('D-04 cancels at a deadline, which dispose takes away', async () => {
  const source = createCancellationSource();
  const disposed = createCancellationSource();
  const reason = new Promise((resolve) => void source.token.onCancelled(resolve));
  disposed.cancelAfter(1);
  disposed.dispose();
  source.cancelAfter(5);
  const alive = setInterval(() => undefined, 50);

  expect(await reason).toBe('deadline-exceeded');
  expect(disposed.token.isCancelled).toBe(false);
  clearInterval(alive);
  disposed.cancelAt(0);
  expect(disposed.token.reason).toBe('deadline-exceeded');
});

it('D-13 writes a target in one order and reads it back', () => {
  const scope = { owner: 'main', site: 'with', stepPath: 'steps/a' };
  const full = { ...target, pointer: '/2', scoped: true, scope } as const;

  expect(encodeDurableTarget({ module: 'app', name: 'a', kind: 'Run.Value' })).toBe(
    '{"v":1,"kind":"Run.Value","name":"a","module":"app"}',
  );
  expect(decodeDurableTarget(encodeDurableTarget(full))).toEqual(full);
  expect(decodeDurableTarget(encodeDurableTarget(target))).toEqual(target);
});

it('D-13 refuses a target that cannot be found again, and text that is none', () => {
  expect(() => encodeDurableTarget({ kind: 'K', name: 'n' })).toThrow(
    expect.objectContaining({ code: 'ERR_DURABLE_TARGET_UNENCODABLE' }),
  );
  for (const text of [
    '',
    'null',
    '{"v":2}',
    '{"v":1,"kind":"K"}',
    '{"v":1,"kind":"K","name":"n","module":1}',
    '{"v":1,"kind":"K","name":"n","module":"m","scope":1}',
  ]) {
    expect(() => decodeDurableTarget(text)).toThrow(
      expect.objectContaining({ code: 'ERR_DURABLE_TARGET_UNDECODABLE' }),
    );
  }
});

it('D-05 stamps an identity and dispatches by it', async () => {
  const echo = resource('Test.Echo', 'echo', (inputs) => ({ echoed: inputs }));
  const plain = { invoke: async (inputs: unknown) => ({ plain: inputs }) };
  const ctx = fakeContext({ resources: { echo } });

  expect(getRefIdentity(echo)).toEqual({ kind: 'Test.Echo', name: 'echo', origin: { module: 'tests' } });
  expect(getRefIdentity({})).toBeUndefined();
  expect(resolveRefInstance({ kind: 'Test.Echo', name: 'echo' }, ctx, 'slot')).toBe(echo);
  expect(await resolveInvocableDispatcher({ kind: 'Test.Echo', name: 'echo' }, ctx, 'slot')(1)).toEqual({ echoed: 1 });
  expect(await resolveInvocableDispatcher(plain, ctx, 'slot')(2, UNCANCELLABLE_CONTEXT)).toEqual({ plain: 2 });
  expect(ctx.dispatched).toHaveLength(1);
  await expect(resolveInvocableDispatcher({ kind: 'K', name: 'no' }, ctx, 'slot')(1)).rejects.toMatchObject({
    code: 'ERR_REF_UNRESOLVED',
  });
});

it('D-05 refuses to dispatch what cannot be invoked', async () => {
  const inert = {};
  stampRefIdentity(inert, 'K', 'inert');
  const ctx = fakeContext({ resources: { inert, bare: {} } });

  await expect(resolveInvocableDispatcher({ kind: 'K', name: 'inert' }, ctx, 'slot')(1)).rejects.toMatchObject({
    code: 'ERR_RESOURCE_NOT_INVOKABLE',
  });
  await expect(resolveInvocableDispatcher({ kind: 'K', name: 'bare' }, ctx, 'slot')(1)).rejects.toMatchObject({
    code: 'ERR_RESOURCE_NOT_INVOKABLE',
  });
});

it('D-06 has one Stream class, consumed once', async () => {
  const stream = new Stream(
    (async function* () {
      yield 1;
    })(),
  );
  const seen: unknown[] = [];

  for await (const item of stream) seen.push(item);

  expect(seen).toEqual([1]);
  expect(Reflect.get(globalThis, Symbol.for('@telorun/sdk:Stream'))).toBe(Stream);
  expect(() => stream[Symbol.asyncIterator]()).toThrow(TypeError);
});

it('D-04 tells a cancellation by its code', () => {
  expect(isCancellationError({ code: 'ERR_INVOKE_CANCELLED' })).toBe(true);
  expect(isCancellationError({ code: 'ERR_STEP_TIMEOUT' })).toBe(false);
});

it('S4 D-24 writes nothing more once it could not write', async () => {
  const run = new MemoryRun();
  const handle = run.openKilledAt(0);
  let performed = 0;
  const lost = { code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' };

  await expect(handle.decide('a', 'value', () => 1)).rejects.toMatchObject(lost);
  await expect(handle.step('b', undefined, {}, async () => (performed += 1))).rejects.toMatchObject(lost);
  await expect(handle.park({ path: 'c', resource: 'r' }, {})).rejects.toMatchObject(lost);

  expect([performed, run.keys(), run.waits]).toEqual([0, [], []]);
  expect(await run.open().decide('a', 'value', () => 1)).toBe(1);
});
