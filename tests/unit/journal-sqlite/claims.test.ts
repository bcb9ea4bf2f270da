import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { nodeDriver } from '../../../controllers/journal-sqlite/driver-node.ts';
import { betterDriver } from '../../../controllers/journal-sqlite/driver-better.ts';
import { isDead, systemProcesses } from '../../../controllers/journal-sqlite/owner.ts';
import { claimed, codeOf, failure, fileOf, open } from './fixture.ts';

const LOST = 'ERR_DURABLE_CLAIM_LOST';
const step = (path: string, value?: unknown) => ({ path, kind: 'step' as const, value });

function clock() {
  const time = { now: 1_000_000 };
  return { time, now: () => time.now };
}

describe('claims', () => {
  it('J-20 a run has one owner at a time; the next may claim it when it is given back', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    expect(await other.claimRun('r', 'o', 60_000)).toBe(false);
    expect(await journal.readRun('r')).toMatchObject({ claimed: true });
    await journal.releaseRun('r');
    expect(await journal.readRun('r')).toMatchObject({ status: 'running', claimed: false });
    expect(await other.claimRun('r', 'o', 60_000)).toBe(true);
  });

  it('J-20 the same holder may claim again, as Telo renews', async () => {
    const { time, now } = clock();
    const journal = await claimed('r', { now });
    time.now += 50_000;
    expect(await journal.claimRun('r', 'h', 60_000)).toBe(true);
    time.now += 50_000;
    const other = await open(fileOf(journal), { now });
    expect(await other.claimRun('r', 'o', 60_000)).toBe(false);
    expect(await journal.append('r', step('a'))).toMatchObject({ path: 'a' });
  });

  it('J-21 S4 whoever was overtaken writes nothing more, whatever it calls', async () => {
    const { time, now } = clock();
    const journal = await claimed('r', { now });
    await journal.append('r', step('a'));
    time.now += 60_000;
    const other = await open(fileOf(journal), { now });
    expect(await other.claimRun('r', 'o', 60_000)).toBe(true);
    await other.append('r', step('b'));
    const before = await other.readRun('r');
    const wait = { path: 'w', resource: 'x' };
    expect(await failure(() => journal.append('r', step('late')))).toMatchObject({
      code: LOST,
      data: { run: 'r', file: fileOf(journal), reason: 'taken-over' },
    });
    expect(await codeOf(() => journal.append('r', step('a')))).toBe(LOST);
    expect(await codeOf(() => journal.checkClaim('r'))).toBe(LOST);
    expect(await codeOf(() => journal.recordWait('r', wait))).toBe(LOST);
    expect(await codeOf(() => journal.closeWait('r', 'w'))).toBe(LOST);
    expect(await codeOf(() => journal.parkRun('r', wait))).toBe(LOST);
    expect(await codeOf(() => journal.suspendRun('r'))).toBe(LOST);
    expect(await codeOf(() => journal.completeRun('r', { status: 'completed' }))).toBe(LOST);
    expect(await journal.renewClaim('r')).toBe(false);
    await journal.releaseRun('r', { code: 'E', message: 'not mine' });
    expect(await other.readRun('r')).toEqual(before);
    expect((await other.readEntries('r')).map(({ path }) => path)).toEqual(['a', 'b']);
    expect(await other.append('r', step('c'))).toMatchObject({ path: 'c' });
  });

  it('J-21 an owner in the middle of its appends is refused once another claims, before that one has written', async () => {
    const { time, now } = clock();
    const journal = await claimed('r', { now });
    await journal.append('r', step('a'));
    time.now += 60_000;
    const other = await open(fileOf(journal), { now });
    await other.claimRun('r', 'o', 60_000);
    expect(await codeOf(() => journal.append('r', step('late')))).toBe(LOST);
    expect((await other.readEntries('r')).map(({ path }) => path)).toEqual(['a']);
    expect(await other.append('r', step('b'))).toMatchObject({ path: 'b' });
  });

  it('J-22 a lease that ran out in the middle of the appends of its owner is renewed by the next of them', async () => {
    const { time, now } = clock();
    const journal = await claimed('r', { now });
    await journal.append('r', step('a'));
    time.now += 60_000;
    expect(await journal.append('r', step('b'))).toMatchObject({ path: 'b' });
    const other = await open(fileOf(journal), { now });
    expect(await other.claimRun('r', 'o', 60_000)).toBe(false);
  });

  it('J-22 a lease that ran out while nobody took over is renewed by its owner', async () => {
    const { time, now } = clock();
    const journal = await claimed('r', { now });
    time.now += 120_000;
    journal.checkClaim('r');
    time.now += 120_000;
    await journal.append('r', step('a'));
    const other = await open(fileOf(journal), { now });
    expect(await other.claimRun('r', 'o', 60_000)).toBe(false);
  });

  it('J-22 the check costs the store nothing right after a write', async () => {
    const { now } = clock();
    const journal = await claimed('r', { now });
    const other = await open(fileOf(journal), { now });
    await other.cancelRun('r');
    expect(() => journal.checkClaim('r')).not.toThrow();
    expect(await codeOf(() => journal.append('r', step('a')))).toBe(LOST);
  });

  it('J-23 the claim of a process that is not there any more, or whose number was given away, does not count', async () => {
    const processes = systemProcesses();
    const { self } = processes;
    // Off Linux nothing can be told, so nobody counts as dead.
    const told = self.machine !== undefined;
    const owner = (changes: object) => JSON.stringify({ ...self, ...changes });
    expect(isDead(owner({}), processes)).toBe(false);
    expect(isDead(owner({ started: '1' }), processes)).toBe(told);
    expect(isDead(owner({ pid: 2 ** 22 + 1 }), processes)).toBe(told);
    expect(isDead(owner({ machine: 'elsewhere', pid: 2 ** 22 + 1 }), processes)).toBe(false);
    expect(isDead(JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1 }), processes)).toBe(false);
    expect(isDead('altered', processes)).toBe(false);
  });

  it('J-24 a process that never claimed writes nothing, except the answer of an open wait, which makes the run due', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    await journal.parkRun('r', { path: 'w', resource: 'ask', token: 't' });
    expect(await failure(() => other.append('r', step('a')))).toMatchObject({
      code: LOST,
      data: { reason: 'never-claimed' },
    });
    const decision = { path: 'w', kind: 'decision' as const, decision: 'value' as const, value: 1 };
    expect(await codeOf(() => other.append('r', decision))).toBe(LOST);
    const targeted = { path: 'w', kind: 'step' as const, target: { kind: 'K', name: 'n' }, value: 1 };
    expect(await codeOf(() => other.append('r', targeted))).toBe(LOST);
    expect(await other.dueRuns(Date.now(), 9)).toEqual([]);
    expect(await other.append('r', step('w', 'yes'))).toEqual(step('w', 'yes'));
    expect(await other.readRun('r')).toMatchObject({ status: 'running' });
    expect(await other.readWaits('r')).toMatchObject([{ state: 'answered' }]);
    expect(await other.dueRuns(Date.now(), 9)).toEqual(['r']);
    expect(await other.append('r', step('w', 'no'))).toEqual(step('w', 'yes'));
  });

  it('J-25 cancelling takes the run from its owner and settles it once', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    expect(await other.cancelRun('r', 'not wanted')).toBe(true);
    expect(await other.cancelRun('r', 'again')).toBe(false);
    expect(await failure(() => journal.append('r', step('a')))).toMatchObject({
      code: LOST,
      data: { reason: 'settled' },
    });
    expect(await codeOf(() => journal.completeRun('r', { status: 'completed', result: 1 }))).toBe(LOST);
    expect(await other.readRun('r')).toMatchObject({
      status: 'cancelled',
      error: { code: 'ERR_DURABLE_RUN_CANCELLED', message: 'not wanted' },
    });
  });

  it('J-25 a settlement as cancelled by a process that holds no claim is a cancellation', async () => {
    const journal = await claimed();
    const other = await open(fileOf(journal));
    const error = { code: 'ERR_DURABLE_RUN_CANCELLED', message: 'by Telo' };
    await other.completeRun('r', { status: 'cancelled', error });
    expect(await journal.readRun('r')).toMatchObject({ status: 'cancelled', error });
    expect(await codeOf(() => journal.append('r', step('a')))).toBe(LOST);
    await other.admitRun('s');
    expect(await codeOf(() => other.completeRun('s', { status: 'completed' }))).toBe(LOST);
  });

  it('J-26 a release says why nothing was settled until the run is claimed again', async () => {
    const journal = await claimed();
    const problem = { code: 'ERR_XMD_POLICY_CHANGED', message: 'changed', data: { resumable: true } };
    await journal.releaseRun('r', problem);
    expect(await journal.readRun('r')).toMatchObject({ status: 'running', claimed: false, problem });
    expect(await journal.dueRuns(Date.now(), 9)).toEqual(['r']);
    expect(await codeOf(() => journal.append('r', step('a')))).toBe(LOST);
    expect(await journal.claimRun('r', 'h', 1_000)).toBe(true);
    expect(await journal.readRun('r')).not.toHaveProperty('problem');
  });
});

describe('drivers', () => {
  it('J-06 one of the two drivers is found, and both know their own failures from others', async () => {
    const driver = nodeDriver() ?? (await betterDriver());
    expect(['node:sqlite', 'better-sqlite3']).toContain(driver.name);
    expect(driver.codeOf(new Error('no SQLite'))).toBeUndefined();
    expect(driver.codeOf(undefined)).toBeUndefined();
  });
});
