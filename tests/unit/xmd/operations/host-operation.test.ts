import { createCancellationSource } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { hostOperation } from '../../../../controllers/xmd/operations/host-operation.ts';
import { aScope, anEffect, EFFECT } from './effect-stage.ts';

const answering = (value: unknown) => {
  const asked: unknown[] = [];
  const operation = hostOperation({
    dispatch: (inputs, path) => {
      asked.push({ inputs, path });
      return Promise.resolve(value);
    },
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

it.each([
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
])('FS-61 refuses what it cannot keep, with its place (%#)', async (value, at, valueType) => {
  await expect(answering(value).perform()).rejects.toMatchObject({
    code: 'ERR_XMD_EFFECT',
    data: { effect: EFFECT, reason: 'unkeepable-value', at, valueType },
  });
});

it('FS-61 refuses what is nested too deeply', async () => {
  await expect(answering(deep).perform()).rejects.toMatchObject({ data: { reason: 'unkeepable-value' } });
});

it('FS-62 throws what the target throws', async () => {
  const suspension = Object.assign(new Error('parked'), { code: 'ERR_DURABLE_SUSPENDED' });
  const operation = hostOperation({ dispatch: () => Promise.reject(suspension) });

  await expect(operation.perform(anEffect({}), aScope())).rejects.toBe(suspension);
});

it('FS-56 dispatches nothing once cancelled', async () => {
  const source = createCancellationSource();
  source.cancel('stop');
  const { operation, asked } = answering(1);

  const work = operation.perform(anEffect({}), aScope({ cancellation: source.token }));

  await expect(work).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
  expect(asked).toEqual([]);
});
