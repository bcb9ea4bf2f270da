import { InvokeError, withCatches, type GuardedOperation } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { durableContext, fakeContext } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';

interface Seen {
  readonly error: { readonly code: string };
}

const rows = [
  { when: ({ error }: Seen) => error.code === 'ERR_A', value: { was: ({ error }: Seen) => error.code } },
  { when: ({ error }: Seen) => error.code === 'ERR_B' },
];

function guarded(catches: unknown, run?: MemoryRun, attempt?: number): GuardedOperation {
  const shared = { ctx: fakeContext(), resourceName: 'each', catches, cel: { inputs: {} } };
  if (run === undefined) return shared;
  return { ...shared, invokeCtx: durableContext(run.open(), 'steps/each', attempt === undefined ? {} : { attempt }) };
}

const failing = (code: string) => async () => {
  throw new InvokeError(code, 'boom');
};

it('ST-37 answers a failure with the value of the first row that matches', async () => {
  expect(await withCatches(guarded(rows), failing('ERR_A'))).toEqual({ was: 'ERR_A' });
  expect(await withCatches(guarded(rows), failing('ERR_B'))).toBeNull();
  expect(await withCatches(guarded(rows), async () => 'fine')).toBe('fine');
  await expect(withCatches(guarded(rows), failing('ERR_C'))).rejects.toMatchObject({ code: 'ERR_C' });
  await expect(withCatches(guarded(undefined), failing('ERR_A'))).rejects.toMatchObject({ code: 'ERR_A' });
});

it('S4 ST-37 lets pass what passes every catch', async () => {
  for (const code of ['ERR_DURABLE_CLAIM_LOST', 'ERR_DURABLE_JOURNAL_FULL', 'ERR_INVOKE_CANCELLED']) {
    const run = new MemoryRun();
    await expect(withCatches(guarded([{ value: 1 }], run), failing(code))).rejects.toMatchObject({ code });
    expect(run.keys()).toEqual([]);
  }
});

it('S4 ST-37 does not perform the operation again once a failure of it was caught', async () => {
  const run = new MemoryRun();
  let performed = 0;
  const perform = async (): Promise<unknown> => {
    performed += 1;
    if (performed === 1) throw new InvokeError('ERR_A', 'boom');
    return 'repaired';
  };

  const first = await withCatches(guarded(rows, run), perform);
  const again = await withCatches(guarded(rows, run), perform);
  const next = await withCatches(guarded(rows, run, 1), perform);

  expect([first, again, next]).toEqual([{ was: 'ERR_A' }, { was: 'ERR_A' }, 'repaired']);
  expect(run.keys()).toEqual(['steps/each/catch']);
  expect(run.value('steps/each/catch')).toEqual({ code: 'ERR_A', message: 'boom', step: 'each', row: 0 });
});
