import {
  assertMaySuspend,
  assertNotSwallowed,
  collapsesJournalEntries,
  DurableSuspension,
  InvokeError,
  isInvokeError,
  isSuspension,
  journalingSuppressed,
  latchedSuspension,
  parkRun,
  passesUncaught,
  type OpenZone,
} from '@telorun/sdk';
import { expect, it } from 'vitest';
import { MemoryRun } from '../../support/memory-handle.ts';
import { fakeContext } from '../../support/fake-context.ts';

const where = { path: 'steps/approve', resource: 'approval' };

function zone(kind: string, attributes: OpenZone['attributes']): OpenZone {
  return { kind, attributes, entry: { kind, provider: {} } };
}

it('S3 D-30 latches the signal, records the wait, then throws the signal', async () => {
  const run = new MemoryRun();
  const handle = run.open();

  const parked = await parkRun(handle, where, { token: 't' }).catch((error: unknown) => error);

  expect(parked).toBeInstanceOf(DurableSuspension);
  expect(parked).toMatchObject({ code: 'ERR_DURABLE_SUSPENDED', runId: 'run-1', path: 'steps/approve' });
  expect(isInvokeError(parked)).toBe(false);
  expect(latchedSuspension(handle)).toMatchObject({ path: 'steps/approve' });
  expect(run.waits).toEqual([{ ...where, token: 't', answered: false }]);
});

it('S3 D-31 throws the signal even when park returns', async () => {
  const silent = new MemoryRun().open();
  Object.assign(silent, { park: async () => undefined });

  await expect(parkRun(silent, where, {})).rejects.toSatisfy(isSuspension);
});

it('S3 D-31 lets an error of recording the wait pass in place of the signal', async () => {
  const handle = new MemoryRun().openKilledAt(0);

  await expect(parkRun(handle, where, {})).rejects.toMatchObject({ code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' });
});

it('S3 D-32 refuses to settle a body that swallowed the signal, and only that one', async () => {
  const run = new MemoryRun();
  const handle = run.open();
  const ignored = await parkRun(handle, where, {}).catch(() => 'swallowed');

  expect(ignored).toBe('swallowed');
  expect(() => assertNotSwallowed(handle)).toThrow(
    expect.objectContaining({
      code: 'ERR_DURABLE_SUSPENSION_SWALLOWED',
      data: expect.objectContaining({ run: 'run-1', path: 'steps/approve', resource: 'approval' }),
    }),
  );
  expect(() => assertNotSwallowed(run.open())).not.toThrow();
});

it('S3 D-33 recognises a signal by its code, across copies of the package', () => {
  expect(isSuspension(Object.assign(new Error('x'), { code: 'ERR_DURABLE_SUSPENDED' }))).toBe(true);
  expect(isSuspension(new Error('x'))).toBe(false);
});

it.each([
  ['ERR_DURABLE_SUSPENDED', true],
  ['ERR_INVOKE_CANCELLED', true],
  ['ERR_DURABLE_CLAIM_LOST', true],
  ['ERR_DURABLE_JOURNAL_FULL', true],
  ['ERR_DURABLE_AWAIT_TIMEOUT', false],
  ['ERR_XMD_REFUSED', false],
])('S4 D-35 answers for %s that it passes every catch: %s', (code, passes) => {
  expect(passesUncaught(Object.assign(new Error('x'), { code }))).toBe(passes);
});

it('R5 D-35 lets a refusal pass that leaves the run resumable, and no other', () => {
  const refusal = (data?: unknown) => new InvokeError('ERR_XMD_POLICY_CHANGED', 'changed', data);
  expect(passesUncaught(refusal({ resumable: true }))).toBe(true);
  expect(passesUncaught(refusal({ resumable: false }))).toBe(false);
  expect(passesUncaught(refusal())).toBe(false);
});

it('S5 D-51 collapses inside idempotent, innermost first', () => {
  const zones = [
    zone('Db.Tx', { atomic: 'a' }),
    zone('Durable.Idempotent', { idempotent: 'i' }),
    zone('Far', { atomic: 'f' }),
  ];

  const inner = collapsesJournalEntries(zones, { writesInside: () => true });

  expect(inner.collapsed).toBe(true);
  expect(inner.resolutions).toEqual([
    { zone: 'Db.Tx', attribute: 'atomic', mode: 'perStep', reason: 'a', attestation: 'writesInside' },
    { zone: 'Durable.Idempotent', attribute: 'idempotent', mode: 'collapsed', reason: 'i' },
  ]);
});

it('S5 D-52 collapses inside atomic unless the records commit with it', () => {
  const zones = [zone('Db.Tx', { atomic: 'a' })];

  expect(collapsesJournalEntries(zones, { writesInside: () => false }).collapsed).toBe(true);
  expect(collapsesJournalEntries(zones, { writesInside: () => true }).collapsed).toBe(false);
  expect(collapsesJournalEntries([zone('W', { replayed: 'r' })], { writesInside: () => false })).toEqual({
    collapsed: false,
    resolutions: [],
  });
});

it('S5 D-53 reports each resolution through noteZoneMode', async () => {
  const run = new MemoryRun();
  const handle = run.open();
  const ctx = fakeContext({ kind: 'Durable.Idempotent', zones: { steps: { idempotent: 'safe to repeat' } } });

  const inside = await ctx.withZone('steps', async (invokeCtx) => journalingSuppressed(ctx, invokeCtx, handle));

  expect(inside).toBe(true);
  expect(journalingSuppressed(ctx, undefined, handle)).toBe(false);
  expect(run.zoneModes).toEqual([
    { zone: 'Durable.Idempotent', attribute: 'idempotent', mode: 'collapsed', reason: 'safe to repeat' },
  ]);
});

it('S5 D-54 forbids a park in a noSuspend zone, in the words of that zone', async () => {
  const ctx = fakeContext({
    kind: 'Lease.Critical',
    zones: { invoke: { noSuspend: 'the lease would lapse' }, steps: {} },
  });

  const inside = await ctx.withZone('invoke', async (invokeCtx) => {
    try {
      assertMaySuspend(ctx, invokeCtx, { resource: 'nap' });
      return 'allowed';
    } catch (error) {
      return error;
    }
  });

  expect(inside).toMatchObject({
    code: 'ERR_DURABLE_SUSPEND_FORBIDDEN',
    data: { resource: 'nap', zone: 'Lease.Critical', reason: 'the lease would lapse' },
  });
  expect(inside).toHaveProperty('message', expect.stringContaining('the lease would lapse'));
  await ctx.withZone('steps', async (invokeCtx) => assertMaySuspend(ctx, invokeCtx, { resource: 'nap' }));
});
