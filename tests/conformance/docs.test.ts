import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { CAPABILITIES, conformanceCases } from '../../conformance/index.ts';
import { backends } from './backends.ts';
import { memoryHandle } from './memory-backend.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/conformance.md'), 'utf8');

/** The rows of a table between two marks, each as its cells. */
function rows(mark: string): readonly (readonly string[])[] {
  const [, section = ''] = page.split(`<!-- ${mark} -->`);
  const [table = ''] = section.split('<!-- end -->');
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** A package that has the suite installed, with the examples of the page and a store of its own. */
function example(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/telo-xmd'));
  for (const [, name = '', code = ''] of page.matchAll(/```js\n\/\/ ([\w.-]+)\n(.*?)```/gs)) {
    writeFileSync(join(folder, name), code);
  }
  const journal = pathToFileURL(join(ROOT, 'manifests/durable-journal-sqlite/dist/journal-sqlite.mjs')).href;
  writeFileSync(
    join(folder, 'my-store.mjs'),
    `import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal } from '${journal}';
export function makeEmptyStore() {
  const folder = mkdtempSync(join(import.meta.dirname, 'store-'));
  return {
    openJournal: () => openJournal({ file: join(folder, 'runs.db') }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
`,
  );
  return folder;
}

it('lists every capability and every case as the code states it', () => {
  expect(rows('capabilities')).toEqual(Object.entries(CAPABILITIES).map(([name, means]) => [`\`${name}\``, means]));
  const told = conformanceCases({ ...memoryHandle, cannot: [] }).map(({ id, title }) => [
    `\`${id}\``,
    title.replace(`${id} `, ''),
  ]);
  expect(rows('cases').map(([id, title]) => [id, title])).toEqual(told);
});

it('says of a case what it needs', () => {
  const needs = conformanceCases({ ...memoryHandle, cannot: knownCapabilities() }).map(({ id, skip }) => [
    `\`${id}\``,
    skip?.replace('cannot: ', '') ?? '',
  ]);
  expect(rows('cases').map(([id, , needed]) => [id, needed])).toEqual(needs);
});

it('runs the examples of the page from the built package, with no test runner of ours', { timeout: 300_000 }, () => {
  const folder = example();
  const run = (...options: string[]): string =>
    execFileSync(process.execPath, options, { cwd: folder, encoding: 'utf8' });

  const tested = run('--test', '--test-reporter=tap', 'backend.test.mjs');
  const total = conformanceCases(memoryHandle).length;
  expect(tested).toContain(`# pass ${total - 1}\n`);
  expect(tested).toContain('# skipped 1\n');
  const reported = run('run.mjs');
  expect(reported).toContain('cannot tearing: its records cannot be damaged from outside\n');
  expect(reported).toContain(`my store: ${total - 1} passed, 0 failed, 1 skipped\n`);
});

it('refuses a capability that it does not know, and a method that is neither there nor declared', async () => {
  // @ts-expect-error -- no such capability
  expect(() => conformanceCases({ ...memoryHandle, cannot: ['flying'] })).toThrow(TypeError);
  const undeclared = conformanceCases({ ...memoryHandle, cannot: [] }).find(({ id }) => id === 'J-order');
  await expect(undeclared?.run()).rejects.toThrow('to declare "store" under cannot');
  const skipped = conformanceCases(memoryHandle).find(({ id }) => id === 'J-order');
  expect(skipped?.skip).toBe('cannot: store');
  await expect(skipped?.run()).rejects.toThrow('skip this case');
});

it('skips nothing but what a backend of this repository declares', () => {
  const declared = backends.map(({ name, cannot }) => [name, cannot]);
  expect(declared.slice(0, 4)).toEqual([
    ['the handle in memory', ['fencing', 'store', 'tearing']],
    ['the embedded kernel over a journal in memory', ['tearing']],
    ['files in the format of a Telo kernel', []],
    [expect.stringMatching(/^SQLite by (?:better-sqlite3|node:sqlite)$/), []],
  ]);
});

function knownCapabilities(): (keyof typeof CAPABILITIES)[] {
  return Object.keys(CAPABILITIES).filter((name): name is keyof typeof CAPABILITIES =>
    Object.hasOwn(CAPABILITIES, name),
  );
}
