import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openHostFiles } from '../../controllers/xmd/providers/host-files.ts';
import { NODE_SYSTEM_CALLS } from '../../controllers/xmd/providers/system-calls.ts';

const TRIES = 10_000;
/** How often a way may be tried until the race has been seen; it takes some hundred tries, more on a loaded machine. */
const TRIES_MAX = 2_000_000;

const SECRET = 'outside';

// Where power loss is not what is tested, a flush only slows the race down.
const system = { ...NODE_SYSTEM_CALLS, fsyncSync: () => {} };

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** A root in which `a/b` is a folder at one moment and a link to the outside at the next. */
async function swapped() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'xmd-race-')));
  const [root, outside] = [join(base, 'root'), join(base, 'outside')];
  mkdirSync(join(root, 'a/b'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'f'), SECRET);
  writeFileSync(join(root, 'a/b/f'), 'inside');
  writeFileSync(join(root, 'a/b/kept'), '');
  const inside = openSync(join(root, 'a/b'), 'r');
  const swapper = join(import.meta.dirname, 'swapping-process.mjs');
  const child = spawn(process.execPath, [swapper, join(root, 'a/b'), join(root, 'a/aside'), outside]);
  onTestFinished(async () => {
    await stop(child);
    closeSync(inside);
    rmSync(base, { recursive: true, force: true });
  });
  await once(child.stdout, 'data');
  const files = openHostFiles({ root, protectedPaths: () => [], system });
  return { root, outside, files, restore: () => writeFileSync(`/proc/self/fd/${inside}/f`, 'inside') };
}

/** How often each thing happened: what `work` answered, or that it refused. Goes on until it has seen the swap. */
function tally(tries: number, done: string, work: () => string): Map<string, number> {
  const counts = new Map<string, number>();
  const raced = (): boolean => counts.has(done) && counts.has('refused');
  for (let index = 0; index < tries || (index < TRIES_MAX && !raced()); index += 1) {
    const outcome = outcomeOf(work);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}

function outcomeOf(work: () => string): string {
  try {
    return work();
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_XMD_EFFECT', data: { reason: expect.any(String) } });
    return 'refused';
  }
}

/** A missing path is no answer; the swap has moments without one. */
function attempted(work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) {
      throw error;
    }
    return 'failed';
  }
}

/** Far beyond what a machine needs that does nothing else. */
const LOADED = { timeout: 300_000 };

describe.runIf(process.platform === 'linux')(
  'E-containment against a process that swaps a folder with a link',
  LOADED,
  () => {
    it('E-containment reads nothing outside', async () => {
      const { files } = await swapped();

      const counts = tally(TRIES, 'inside', () => files.read('a/b/f', { maxBytes: 100 }));

      expect(counts.get(SECRET)).toBeUndefined();
      expect(counts.get('inside')).toBeGreaterThan(0);
      expect(counts.get('refused')).toBeGreaterThan(0);
    });

    it('E-containment writes nothing outside', async () => {
      const { files, outside } = await swapped();

      const counts = tally(TRIES, 'written', () => (files.write('a/b/f', 'inside'), 'written'));

      expect(readdirSync(outside)).toEqual(['f']);
      expect(readFileSync(join(outside, 'f'), 'utf8')).toBe(SECRET);
      expect(counts.get('written')).toBeGreaterThan(0);
      expect(counts.get('refused')).toBeGreaterThan(0);
    });

    it('E-containment deletes nothing outside', async () => {
      const { files, outside, restore } = await swapped();

      const counts = tally(TRIES, 'done', () => {
        restore();
        files.remove('a/b/f');
        return 'done';
      });

      expect(readFileSync(join(outside, 'f'), 'utf8')).toBe(SECRET);
      expect(counts.get('done')).toBeGreaterThan(0);
      expect(counts.get('refused')).toBeGreaterThan(0);
    });

    it('E-containment does escape when a path is checked and then used, so the race is real', async () => {
      const { root } = await swapped();
      const path = join(root, 'a/b/f');

      const checkedThenRead = (): string =>
        realpathSync.native(path).startsWith(root) ? readFileSync(path, 'utf8') : 'refused';
      let escaped = false;
      for (let index = 0; index < TRIES_MAX && !escaped; index += 1) {
        escaped = attempted(checkedThenRead) === SECRET;
      }

      expect(escaped).toBe(true);
    });
  },
);
