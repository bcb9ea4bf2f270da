import { createServer } from 'node:net';
import type { ResourceInstance } from '@telorun/sdk';
import type { Model } from '../../../../../kernel/kinds/ai/contract.ts';
import { openaiModel } from '../../../../../kernel/kinds/ai-openai/openai-model.ts';
import { type FakeContext, fakeContext } from '../../../../support/fake-context.ts';

export const KEY = 'sk-canary-4f2b9c';

/** A model as a kernel makes it, with everything its context was told. */
export async function openModel(
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly model: Model; readonly ctx: FakeContext }> {
  const ctx = fakeContext({ name: 'writer', kind: 'AiOpenai.OpenaiModel' });
  const controller = await openaiModel.controller();
  const resource = {
    kind: 'AiOpenai.OpenaiModel',
    metadata: { name: 'writer' },
    model: 'small-1',
    apiKey: KEY,
    retry: { attempts: 2, initialDelay: '1ms' },
    ...fields,
  };
  const model = await controller.create(resource, ctx);
  if (!isModel(model)) throw new TypeError('no model');
  return { model, ctx };
}

function isModel(instance: ResourceInstance | null): instance is Model {
  return instance !== null && typeof Reflect.get(instance, 'stream') === 'function';
}

export const asking = (text = 'hello') => ({ messages: [{ role: 'user', content: text }] });

/** Everything of a list of parts. */
export async function all<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

/** What work failed with; undefined when it did not. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A port of loopback where nobody listens. Effect: listens there, and no more. */
export function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
