import { lutimesSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { systemProcesses } from '../../../controllers/journal-sqlite/owner.ts';
import { claimed, codeOf, directoryOf, failure, header, makeDirectory, open, plant, textOf } from './fixture.ts';

const { self } = systemProcesses();
const dead = { ...self, started: '1' };
const elsewhere = { host: 'other', pid: 1, machine: 'another boot', started: '1' };

/** A run whose lock `owner` holds, and a journal that waits a moment for it. */
async function held(owner: object) {
  const first = await claimed();
  const directory = directoryOf(first);
  const lock = `${directory}.xmd/r.lock`;
  symlinkSync(JSON.stringify({ ...owner, nonce: 'n' }), lock);
  return { lock, first, journal: open(directory, { lockTimeoutMs: 20 }) };
}

describe('the lock of a run', () => {
  it('JF-13 a write of another process is waited for and then refused; readers need not wait', async () => {
    const { journal, first, lock } = await held(self);
    const before = textOf(journal);
    expect(await failure(() => journal.cancelRun('r'))).toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_LOCKED',
      data: { run: 'r', file: directoryOf(journal) },
    });
    expect(textOf(journal)).toBe(before);
    expect(readlinkSync(lock)).toContain('"nonce":"n"');
    expect(await journal.readRun('r')).toMatchObject({ status: 'running', claimed: true });
    first.checkClaim('r');
  });

  it('JF-13 the lock of a dead process is broken at once, and nothing of it stays', async () => {
    const { journal } = await held(dead);
    expect(await journal.cancelRun('r')).toBe(true);
    expect(readdirSync(`${directoryOf(journal)}.xmd`)).toEqual(['r.ndjson']);
  });

  it('JF-13 where nobody can tell whether its owner lives, it counts for a minute', async () => {
    const { journal, lock } = await held(elsewhere);
    expect(await codeOf(() => journal.cancelRun('r'))).toBe('ERR_DURABLE_JOURNAL_LOCKED');
    const old = Date.now() / 1_000 - 61;
    lutimesSync(lock, old, old);
    expect(await journal.cancelRun('r')).toBe(true);
  });

  it('JF-13 a lock that is stopped on this machine counts however old it is', async () => {
    const { journal, lock } = await held(self);
    const old = Date.now() / 1_000 - 3_600;
    lutimesSync(lock, old, old);
    expect(await codeOf(() => journal.cancelRun('r'))).toBe('ERR_DURABLE_JOURNAL_LOCKED');
  });

  it('JF-13 a lock that nobody of ours wrote counts for a minute, too', async () => {
    const directory = makeDirectory();
    mkdirSync(directory);
    mkdirSync(`${directory}.xmd`);
    plant(directory, 'r', [header()]);
    symlinkSync('nowhere', `${directory}.xmd/r.lock`);
    const journal = open(directory, { lockTimeoutMs: 20 });
    expect(await codeOf(() => journal.claimRun('r', 'h', 1_000))).toBe('ERR_DURABLE_JOURNAL_LOCKED');
    const old = Date.now() / 1_000 - 61;
    lutimesSync(`${directory}.xmd/r.lock`, old, old);
    expect(await journal.claimRun('r', 'h', 1_000)).toBe(true);
  });
});
