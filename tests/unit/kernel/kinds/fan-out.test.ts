import { expect, it } from 'vitest';
import { fanOut } from '../../../../kernel/kinds/run/fan-out.ts';

const OPTIONS = { concurrency: 2, stopped: () => false };

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

it.each([
  { thrown: ['ERR_DURABLE_SUSPENDED', 'ERR_NO'], raised: 'ERR_NO' },
  { thrown: ['ERR_NO', 'ERR_INVOKE_CANCELLED'], raised: 'ERR_INVOKE_CANCELLED' },
  { thrown: ['ERR_INVOKE_CANCELLED', 'ERR_DURABLE_CLAIM_LOST'], raised: 'ERR_DURABLE_CLAIM_LOST' },
  { thrown: ['ERR_FIRST', 'ERR_SECOND'], raised: 'ERR_FIRST' },
])('RK-22 of $thrown it throws $raised', async ({ thrown, raised }) => {
  await expect(fanOut(thrown, OPTIONS, async (code) => Promise.reject(coded(code)))).rejects.toMatchObject({
    code: raised,
  });
});

async function* source(): AsyncGenerator<number> {
  yield 1;
  throw coded('ERR_SOURCE');
}

it('RK-22 lets what runs finish when the source of the elements fails', async () => {
  const finished: number[] = [];
  const work = async (element: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    finished.push(element);
  };
  await expect(fanOut(source(), OPTIONS, work)).rejects.toMatchObject({ code: 'ERR_SOURCE' });
  expect(finished).toEqual([1]);
});

it('RK-22 starts nothing more once it is told to stop', async () => {
  const started: number[] = [];
  const options = { concurrency: 1, stopped: () => started.length === 2 };
  await fanOut([1, 2, 3], options, async (element) => void started.push(element));
  expect(started).toEqual([1, 2]);
});
