import { createCancellationSource } from '@telorun/sdk';
import { expect, it } from 'vitest';
import type { HostCall } from '../../../../controllers/xmd/operations/host-operation.ts';
import { hostOperation } from '../../../../controllers/xmd/operations/host-operation.ts';
import { aScope, anEffect, EFFECT } from './effect-stage.ts';

const answering = (value: unknown, changes: Partial<HostCall> = {}) => {
  const asked: unknown[] = [];
  const operation = hostOperation({
    keyOf: (path) => `key of ${path}`,
    prepare: ({ props, content }) => ({ props, content }),
    begin: async () => ({ kind: 'call' }),
    dispatch: async (inputs, { path }) => {
      asked.push({ inputs, path });
      return value;
    },
    finish: (result) => result,
    ...changes,
  });
  return { operation, asked, perform: () => operation.perform(anEffect({ title: 't' }), aScope({ content: 'body' })) };
};

it('FS-60 dispatches under the path of the effect with props and content, once', async () => {
  const { perform, asked } = answering({ id: 1 });

  expect(await perform()).toEqual({ id: 1 });
  expect(asked).toEqual([{ inputs: { props: { title: 't' }, content: 'body' }, path: EFFECT }]);
});

it('FS-60 renders a string as itself and anything else as nothing', () => {
  const { operation } = answering(null);

  expect(['text', 1, null, { a: 1 }, ['x']].map((value) => operation.render(value, 'content'))).toEqual([
    'text',
    '',
    '',
    '',
    '',
  ]);
});

it('FS-61 keeps plain data, a BigInt and what toJSON answers', async () => {
  const nothing: unknown = undefined;
  const value = {
    list: [1, 'a', null, true],
    big: 10n ** 20n,
    date: new Date(0),
    bare: Object.assign(Object.create(null), { x: 1 }),
    gone: nothing,
    ['__proto__']: 'own',
  };
  const kept = await answering(value).perform();

  expect(kept).toEqual({
    list: [1, 'a', null, true],
    big: 10n ** 20n,
    date: '1970-01-01T00:00:00.000Z',
    bare: { x: 1 },
    ['__proto__']: 'own',
  });
  expect(kept).not.toBe(value);
  expect(await answering(nothing).perform()).toBeNull();
});

class Handle {
  readonly secret = 1;
}
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
let deep: unknown = 1;
for (let level = 0; level < 300; level += 1) {
  deep = [deep];
}

const UNKEEPABLE: readonly (readonly [value: unknown, at: string, valueType: string])[] = [
  [{ a: [1, () => 1] }, '.a[1]', 'function'],
  [{ a: Symbol('s') }, '.a', 'symbol'],
  [Number.NaN, '', 'NaN'],
  [{ 'a b': Number.POSITIVE_INFINITY }, '["a b"]', 'Infinity'],
  [{ m: new Map([[1, 2]]) }, '.m', 'Map'],
  [{ s: new Set() }, '.s', 'Set'],
  [{ h: new Handle() }, '.h', 'Handle'],
  [{ p: Promise.resolve(1) }, '.p', 'Promise'],
  [{ s: new ReadableStream() }, '.s', 'ReadableStream'],
  [{ d: new Date(Number.NaN) }, '.d', 'Date'],
  [[undefined], '[0]', 'undefined'],
  [cyclic, '.self', 'cycle'],
];

it.each(UNKEEPABLE)('FS-61 refuses what it cannot keep, with its place (%#)', async (value, at, valueType) => {
  await expect(answering(value).perform()).rejects.toMatchObject({
    code: 'ERR_XMD_EFFECT',
    data: { effect: EFFECT, reason: 'unkeepable-value', at, valueType },
  });
});

it.each(UNKEEPABLE)('HO-04 hands no target what is not plain, and calls nothing then (%#)', async (value, at) => {
  const { perform, asked } = answering('answer', { prepare: () => value });

  await expect(perform()).rejects.toMatchObject({ code: 'ERR_XMD_EFFECT', data: { reason: 'unkeepable-value', at } });
  expect(asked).toEqual([]);
});

it('FS-61 refuses what is nested too deeply', async () => {
  await expect(answering(deep).perform()).rejects.toMatchObject({ data: { reason: 'unkeepable-value' } });
});

it('HO-04 what an expression sees has no prototype, and a target gets plain copies of its own', async () => {
  const prototypes: unknown[] = [];
  const note = (value: unknown): void => {
    prototypes.push(Object.getPrototypeOf(value));
  };
  const props = { deep: { list: [{ a: 1 }] } };
  const { operation, asked } = answering(
    { answer: {} },
    {
      prepare: (given) => {
        note(given);
        note(given.props);
        note(given.props['deep']);
        note(given.effect);
        return { all: given.props };
      },
      finish: (result) => {
        note(result);
        return result;
      },
    },
  );

  const value = await operation.perform(anEffect(props), aScope());

  expect(prototypes).toEqual([null, null, null, null, null]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(asked).toEqual([{ inputs: { all: props }, path: EFFECT }]);
  const [{ inputs }] = Object(asked);
  inputs.all.deep.list[0].a = 'changed by the target';
  expect(props).toEqual({ deep: { list: [{ a: 1 }] } });
});

it('HO-11 inputs that fail come before the begin, and a decided call is not made', async () => {
  const begun: unknown[] = [];
  const begin = async (_scope: unknown, key: string): ReturnType<HostCall['begin']> => {
    begun.push(key);
    return { kind: 'decided', value: { id: 7 } };
  };
  const failing = answering(1, {
    begin,
    prepare: () => {
      throw new Error('no such key');
    },
  });
  await expect(failing.perform()).rejects.toThrow('no such key');
  expect(begun).toEqual([]);

  const decided = answering(1, { begin });
  expect(await decided.perform()).toEqual({ id: 7 });
  expect(begun).toEqual([`key of ${EFFECT}`]);
  expect(decided.asked).toEqual([]);
});

it('FS-62 throws what the target throws', async () => {
  const suspension = Object.assign(new Error('parked'), { code: 'ERR_DURABLE_SUSPENDED' });

  await expect(answering(0, { dispatch: () => Promise.reject(suspension) }).perform()).rejects.toBe(suspension);
});

it('FS-56 dispatches nothing once cancelled, nor when the cancellation comes while the call begins', async () => {
  for (const when of ['before', 'while it begins']) {
    const source = createCancellationSource();
    if (when === 'before') source.cancel('stop');
    const { operation, asked } = answering(1, {
      begin: async () => {
        source.cancel('stop');
        return { kind: 'call' };
      },
    });

    const work = operation.perform(anEffect({}), aScope({ cancellation: source.token }));

    await expect(work).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    expect(asked).toEqual([]);
  }
});
