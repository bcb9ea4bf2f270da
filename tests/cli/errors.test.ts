import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../support/source-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CODE = /(?<=['"`])(?:ERR_[A-Z0-9]+(?:_[A-Z0-9]+)*|[A-Z]+(?:_[A-Z0-9]+)+)(?=['"`])/g;
/** Names of the same form that are no codes of ours: of SQLite, of Node, of the environment. */
const FOREIGN =
  /^(?:SQLITE|UND|HPE|TELO|OPENAI)_|_(?:COLOR|MAX|MIN|MS)$|^ERR_(?:BUFFER_TOO_LARGE|INVALID_ARG|USE_AFTER_CLOSE)|_API_KEY$|^MODULE_NOT_FOUND$/;

describe('the page of errors', () => {
  const page = readFileSync(join(ROOT, 'kernel-specs', 'errors.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)` +\| (.*?) +\| (.*?) +\|$/gm)];
  const listed = rows.map(([, code = '']) => code);
  const raised = new Set(
    sourceFiles(['sdk', 'controllers', 'kernel']).flatMap(
      (file) => readFileSync(join(ROOT, file), 'utf8').match(CODE) ?? [],
    ),
  );

  it('lists every code that the source raises', () => {
    expect([...raised].filter((code) => !FOREIGN.test(code) && !listed.includes(code)).toSorted()).toEqual([]);
  });

  it('lists nothing else, and nothing twice', () => {
    expect(listed.filter((code) => !raised.has(code))).toEqual([]);
    expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
  });

  it('says of each what it means and what to do, in whole sentences', () => {
    expect(rows.length).toBeGreaterThan(100);
    for (const [, , meaning, way] of rows) {
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
      expect(way).toMatch(/^[A-Z`].*\.$/);
    }
  });
});
