import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { installPacked } from '../../support/packed-package.ts';

const APPLICATION = `
kind: Telo.Application
metadata: { name: Packed, version: 1.0.0 }
imports:
  Run: oci://ghcr.io/telorun/run@0.25.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalFile: oci://ghcr.io/telorun/durable-journal-file@0.2.0
  Assert: oci://ghcr.io/telorun/assert@latest
  Sqlite: ./node_modules/telo-xmd/manifests/durable-journal-sqlite
  Xmd: ./node_modules/telo-xmd/manifests/xmd
targets: [!ref main]
---
kind: Sqlite.Journal
metadata: { name: inOneFile }
file: .telo/runs.db
---
kind: DurableJournalFile.Journal
metadata: { name: inFiles }
directory: .telo/runs
---
kind: Xmd.Profile
metadata: { name: workspace }
root: .
grants: [read, write]
paths: { read: { allow: ['*.md'] }, write: { allow: ['*.md'] } }
---
kind: Xmd.Evaluate
metadata: { name: apply }
allow: [read, write]
---
kind: DurableLocal.Workflow
metadata: { name: sqlite }
journal: !ref inOneFile
runId: sqlite
steps:
  - { name: apply, invoke: !ref apply, inputs: { text: '<File path="a.md">one</File><File path="a.md" />' } }
---
kind: DurableLocal.Workflow
metadata: { name: files }
journal: !ref inFiles
runId: files
steps:
  - { name: apply, invoke: !ref apply, inputs: { text: '<File path="b.md">two</File><File path="b.md" />' } }
---
kind: DurableLocal.Result
metadata: { name: ofSqlite }
journal: !ref inOneFile
run: sqlite
wait: 30s
---
kind: DurableLocal.Result
metadata: { name: ofFiles }
journal: !ref inFiles
run: files
wait: 30s
---
kind: Run.Sequence
metadata: { name: main }
steps:
  - { name: one, invoke: !ref sqlite }
  - { name: two, invoke: !ref files }
  - { name: first, invoke: !ref ofSqlite }
  - { name: second, invoke: !ref ofFiles }
  - name: areDone
    invoke: !ref Assert.equals
    inputs:
      actual: [!cel steps.first.result, !cel steps.second.result]
      expected:
        - { run: sqlite, status: completed, result: { steps: { apply: { result: { observations: [{ name: File, value: one }], output: one } } } }, collapsedRegions: 0, collapseReasons: [] }
        - { run: files, status: completed, result: { steps: { apply: { result: { observations: [{ name: File, value: two }], output: two } } } }, collapsedRegions: 0, collapseReasons: [] }
`;

const SUITE = `
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { journalBackend, runConformance } from 'telo-xmd/conformance';
import { openJournal } from './node_modules/telo-xmd/manifests/durable-journal-sqlite/dist/journal-sqlite.mjs';

const store = {
  name: 'the packed journal',
  cannot: ['tearing'],
  open: async () => {
    const folder = mkdtempSync(join(import.meta.dirname, 'store-'));
    return {
      connect: () => openJournal({ file: join(folder, 'runs.db') }),
      dispose: () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};
console.log(JSON.stringify(await runConformance(journalBackend(store))));
`;

interface Told {
  readonly ok: boolean;
  readonly failed: readonly unknown[];
  readonly passed: readonly string[];
  readonly skipped: readonly { readonly id: string }[];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'telo-xmd-installed-'));
  const installed = installPacked(folder);
  // The sources go along with the package; here nothing but the bundles may be what is loaded.
  rmSync(join(installed, 'controllers'), { recursive: true });
  writeFileSync(join(folder, 'telo.yaml'), APPLICATION);
  writeFileSync(join(folder, 'suite.mjs'), SUITE);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Takes a part of the installation away until the test ends. */
function without(part: string): void {
  const place = join(folder, 'node_modules', part);
  renameSync(place, `${place}.away`);
  onTestFinished(() => renameSync(`${place}.away`, place));
}

function node(args: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const MAIN = 'node_modules/telo-xmd/dist/kernel/main.mjs';

describe('the package as npm packs it, in an empty folder', () => {
  it('LB-09 an application with both libraries and both journals runs from its bundles, and its runs are on record', () => {
    expect(node([MAIN, 'check', 'telo.yaml'])).toMatchObject({ status: 0 });
    expect(node([MAIN, 'run', 'telo.yaml'])).toMatchObject({ status: 0 });
    expect([readFileSync(join(folder, 'a.md'), 'utf8'), readFileSync(join(folder, 'b.md'), 'utf8')]).toEqual([
      'one',
      'two',
    ]);
    expect(readdirSync(join(folder, '.telo/runs'))).toEqual(['files.ndjson']);
    const told = node([MAIN, 'show', 'sqlite', '--json']);
    expect(told.status).toBe(0);
    expect(told.stdout).toContain('steps/apply/xmd[1]/File');
    // Started again it attaches to what is settled: nothing is done twice.
    rmSync(join(folder, 'a.md'));
    expect(node([MAIN, 'run', 'telo.yaml'])).toMatchObject({ status: 0 });
    expect(existsSync(join(folder, 'a.md'))).toBe(false);
  });

  it('LB-09 without the bundle of a library it says so', () => {
    without('telo-xmd/manifests/xmd/dist');
    const { status, stderr } = node([MAIN, 'run', 'telo.yaml']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('xmd.mjs');
  });

  it('LB-09 without a driver for SQLite it says so; a Node that has one needs none', () => {
    without('better-sqlite3');
    const { status, stderr } = node([MAIN, 'run', 'telo.yaml']);
    const builtIn = isBuiltin('node:sqlite');
    expect(status === 0).toBe(builtIn);
    expect(stderr.includes('ERR_DURABLE_JOURNAL_UNAVAILABLE')).toBe(!builtIn);
  });

  it('LB-09 the conformance suite is imported by its name, and finds nothing against the packed journal', () => {
    const { status, stdout, stderr } = node(['suite.mjs']);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const { ok, failed, passed, skipped }: Told = JSON.parse(stdout);
    expect({ ok, failed, skipped: skipped.map(({ id }) => id) }).toEqual({ ok: true, failed: [], skipped: ['J-torn'] });
    expect(passed.length).toBeGreaterThan(60);
  });
});
