import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place, ROOT } from './command-line.ts';

const page = readFileSync(join(ROOT, 'docs/in-a-telo-kernel.md'), 'utf8');

/** The manifest of the page, and what it says that a numbered command prints. */
const manifest = /```yaml\n([^]*?)```/.exec(page)?.[1] ?? '';
const expected = (row: number): string =>
  page
    .split('\n')
    .find((line) => new RegExp(`^\\| ${row} +\\|`).test(line))
    ?.split('|')[3] ?? '';
const quoted = (row: number): readonly string[] =>
  [...expected(row).matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

describe('the page for a Telo kernel, run here', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    mkdirSync(place.path('manifests'));
    for (const name of ['xmd', 'durable-journal-sqlite'])
      symlinkSync(join(ROOT, 'manifests', name), place.path('manifests', name));
    place.write('manifests/left/telo.yaml', manifest);
  });
  afterEach(() => place.remove());

  const written = (): readonly boolean[] =>
    ['one.md', 'two.md'].map((name) => existsSync(place.path('manifests/left', name)));
  const run = async () => place.run(['run', 'manifests/left']);

  /** Rows 1 to 6. */
  async function leave(): Promise<void> {
    expect((await place.run(['check', 'manifests/left'])).stdout).toContain(quoted(1)[0]);
    await run();
    expect(written()).toEqual([true, false]);
    expect((await place.run(['runs'])).stdout).toContain(quoted(3)[0]);
    const shown = (await place.run(['show', 'left'])).stdout;
    for (const text of quoted(4)) expect(shown).toContain(text);
    rmSync(place.path('manifests/left/one.md'));
    await run();
    expect(written()).toEqual([false, false]);
    expect((await place.run(['answer', 'left', '"yes"'])).stdout).toContain(quoted(6)[0]);
  }

  it('LB-11 the run is left, taken up by the same command, and repeats nothing', async () => {
    await leave();
    expect((await run()).code).toBe(0);
    expect(written()).toEqual([false, true]);
    expect((await place.run(['show', 'left'])).stdout).toContain(quoted(8)[0]);
  });

  it('LB-11 resumed by its id it ends in the same way', async () => {
    await leave();
    expect((await place.run(['resume', 'left', '--manifest', 'manifests/left/telo.yaml'])).code).toBe(0);
    expect(written()).toEqual([false, true]);
  });

  it('LB-11 under a changed revision it refuses, and goes on once that is back', async () => {
    await leave();
    place.write('manifests/left/telo.yaml', manifest.replace("revision: '1'", "revision: '2'"));
    expect((await run()).stderr).toContain(quoted(10)[0]);
    expect(written()).toEqual([false, false]);
    place.write('manifests/left/telo.yaml', manifest);
    await run();
    expect(written()).toEqual([false, true]);
  });
});
