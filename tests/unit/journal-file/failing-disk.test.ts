import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { claimed, codeOf, directoryOf, failure, open, textOf, type OpenedJournal } from './fixture.ts';

const step = (path: string, value?: unknown) => ({ path, kind: 'step' as const, value });
const whole = { record: { run: 'new', status: 'running' as const }, entries: [step('a', 1)], waits: [] };

type Call = 'writeSync' | 'openSync' | 'symlinkSync' | 'renameSync' | 'fdatasyncSync';
const restored: (() => void)[] = [];

afterEach(() => repair());

function repair(): void {
  for (const restore of restored.splice(0)) restore();
  syncBuiltinESMExports();
}

/** From now on the system answers `code` to a call; of a write, half is done before it does. */
function fails(call: Call, code: string): void {
  const original = fs[call];
  const failing = (...args: readonly unknown[]): never => {
    if (call === 'writeSync') {
      const [fd, bytes, offset, length, position] = args;
      Reflect.apply(original, fs, [fd, bytes, offset, Math.floor(Number(length) / 2), position]);
    }
    throw Object.assign(new Error(`${code}: ${call}`), { code, syscall: call.replace('Sync', '') });
  };
  Reflect.set(fs, call, failing);
  syncBuiltinESMExports();
  restored.push(() => Reflect.set(fs, call, original));
}

/** Every write that the journal makes of a run, each by name. */
const WRITES: Readonly<Record<string, (journal: OpenedJournal) => Promise<unknown>>> = {
  append: (journal) => journal.append('r', step('b', 'x'.repeat(1_000))),
  recordWait: (journal) => journal.recordWait('r', { path: 'w', resource: 'ask', token: 'token-1' }),
  completeRun: (journal) => journal.completeRun('r', { status: 'completed', result: 1 }),
  cancelRun: (journal) => journal.cancelRun('r'),
  releaseRun: (journal) => journal.releaseRun('r'),
  admitRun: (journal) => journal.admitRun('new', { inputs: 1n }),
  claimRun: (journal) => journal.claimRun('r', 'other', 60_000),
  adoptRun: (journal) => journal.adoptRun(whole),
};

describe('a disk that fails', () => {
  const kept = { path: 'a', kind: 'step', value: 1 };

  it.each([
    ['ENOSPC', 'writeSync', 'ERR_DURABLE_JOURNAL_FULL'],
    ['EDQUOT', 'writeSync', 'ERR_DURABLE_JOURNAL_FULL'],
    ['ENOSPC', 'fdatasyncSync', 'ERR_DURABLE_JOURNAL_FULL'],
    ['EACCES', 'openSync', 'ERR_DURABLE_JOURNAL_READONLY'],
    ['EPERM', 'openSync', 'ERR_DURABLE_JOURNAL_READONLY'],
    ['EROFS', 'openSync', 'ERR_DURABLE_JOURNAL_READONLY'],
    ['EROFS', 'symlinkSync', 'ERR_DURABLE_JOURNAL_READONLY'],
    ['EIO', 'writeSync', 'ERR_DURABLE_JOURNAL_UNAVAILABLE'],
  ] as const)(
    'JF-14 %s of %s is %s: nothing is changed, and the run goes on once it is gone',
    async (errno, call, code) => {
      const journal = await claimed();
      await journal.append('r', step('a', 1));
      const before = textOf(journal);
      // Whoever executes a run has its files open already.
      const other = open(directoryOf(journal));
      fails(call, errno);
      const write = (): Promise<unknown> =>
        call === 'openSync' ? other.cancelRun('r') : journal.append('r', step('b', 'x'.repeat(1_000)));
      expect(await failure(write)).toMatchObject({
        code,
        data: { file: directoryOf(journal), run: 'r', hint: expect.stringMatching(/\.$/) },
      });
      expect(textOf(journal)).toBe(before);
      repair();
      expect(await journal.readEntries('r')).toEqual([kept]);
      await journal.append('r', step('b', 2));
      await journal.completeRun('r', { status: 'completed' });
      expect(await open(directoryOf(journal)).readRun('r')).toMatchObject({ status: 'completed' });
    },
  );

  it.each(Object.keys(WRITES))(
    'JF-14 a full disk under %s leaves the run as it was, and the same call succeeds after',
    async (name) => {
      const write = WRITES[name];
      if (write === undefined) throw new Error('no such write');
      const journal = await claimed();
      await journal.append('r', step('a', 1));
      const held = name === 'claimRun' ? open(directoryOf(journal)) : journal;
      if (name === 'claimRun') await journal.releaseRun('r');
      const before = textOf(journal);
      fails('writeSync', 'ENOSPC');
      expect(await codeOf(() => write(held))).toBe('ERR_DURABLE_JOURNAL_FULL');
      repair();
      expect(textOf(journal)).toBe(before);
      const other = open(directoryOf(journal));
      expect(await other.readRun('r')).toMatchObject({ status: 'running' });
      expect(await other.readRun('new')).toBeUndefined();
      expect(
        fs.readdirSync(directoryOf(journal)).filter((one) => fs.statSync(join(directoryOf(journal), one)).size > 0),
      ).toEqual(['r.ndjson']);
      await write(held);
      expect(await other.readEntries('r')).toContainEqual(kept);
    },
  );

  it('JF-14 a folder that takes no new name adopts no run, and takes it once it does', async () => {
    const journal = open();
    fails('renameSync', 'EROFS');
    expect(await codeOf(() => journal.adoptRun(whole))).toBe('ERR_DURABLE_JOURNAL_READONLY');
    repair();
    expect(await journal.readRun('new')).toBeUndefined();
    expect(await journal.adoptRun(whole)).toBe(true);
    expect(await journal.readEntries('new')).toEqual([step('a', 1)]);
  });
});
