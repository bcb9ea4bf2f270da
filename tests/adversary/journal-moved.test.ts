import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { claimed, codeOf, fileOf, open } from '../unit/journal-sqlite/fixture.ts';

const UNAVAILABLE = 'ERR_DURABLE_JOURNAL_UNAVAILABLE';
const step = (path: string) => ({ path, kind: 'step' as const, value: path });

it.each(['moved', 'replaced'])(
  'S4 J-49 a journal whose file was %s meanwhile records nothing, and a run in it goes on once it is back',
  async (how) => {
    let now = 1_000_000;
    const journal = await claimed('r', { now: () => now });
    await journal.append('r', step('a'));
    const folder = dirname(fileOf(journal));
    const away = `${folder}-away`;
    renameSync(folder, away);
    if (how === 'replaced') {
      mkdirSync(folder);
      (await open(join(folder, fileOf(journal).slice(folder.length + 1)))).close();
    }
    now += 1_000;
    expect(await codeOf(() => journal.checkClaim('r'))).toBe(UNAVAILABLE);
    expect(await codeOf(() => journal.append('r', step('b')))).toBe(UNAVAILABLE);
    expect(await codeOf(() => journal.completeRun('r', { status: 'completed' }))).toBe(UNAVAILABLE);
    if (how === 'replaced') renameSync(folder, `${folder}-other`);
    renameSync(away, folder);
    journal.checkClaim('r');
    await journal.append('r', step('b'));
    expect((await journal.readEntries('r')).map(({ path }) => path)).toEqual(['a', 'b']);
  },
);
