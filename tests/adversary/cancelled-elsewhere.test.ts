import { expect, it } from 'vitest';
import { claimed, codeOf, fileOf, open } from '../unit/journal-sqlite/fixture.ts';

function clock() {
  const time = { now: 1_000_000 };
  return { time, now: () => time.now };
}

it('S4 J-22 a run that another process cancelled starts no effect, long before the lease is over', async () => {
  const { time, now } = clock();
  const journal = await claimed('r', { now });
  await journal.append('r', { path: 'a', kind: 'step', value: 1 });
  const other = await open(fileOf(journal), { now });
  await other.cancelRun('r', 'no');
  time.now += 1_000;
  expect(await codeOf(() => journal.checkClaim('r'))).toBe('ERR_DURABLE_CLAIM_LOST');
});

it('S4 J-22 a run that nobody cancelled goes on', async () => {
  const { time, now } = clock();
  const journal = await claimed('r', { now });
  time.now += 1_000;
  journal.checkClaim('r');
  expect(await journal.append('r', { path: 'a', kind: 'step', value: 1 })).toMatchObject({ value: 1 });
});
