import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const MAIN = join(ROOT, 'dist/kernel/main.mjs');
const TOKEN = 'canary-"token"\\1234';
const KEY = 'canary-key-of-the-journal';
const SPELLINGS = [TOKEN, JSON.stringify(TOKEN).slice(1, -1), KEY];

const MANIFEST = `kind: Telo.Application
metadata: { name: Secretive, version: 1.0.0 }
secrets:
  token: { env: APP_TOKEN, type: string }
  short: { env: APP_SHORT, type: string }
  journalKey: { env: APP_JOURNAL_KEY, type: string }
imports:
  Run: oci://ghcr.io/telorun/run@0.25.0
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalSqlite: ${join(ROOT, 'manifests/durable-journal-sqlite')}
---
kind: DurableJournalSqlite.Journal
metadata: { name: runs }
file: ./runs.db
key: !cel secrets.journalKey
---
kind: Run.Value
metadata: { name: harmless }
value: { size: !cel secrets.token.size(), short: !cel secrets.short }
---
kind: Run.Value
metadata: { name: answer }
value: { header: !cel "'Bearer ' + secrets.token" }
---
kind: Run.Value
metadata: { name: named }
value: !cel "{secrets.token: 1}"
---
kind: Durable.Await
metadata: { name: ask }
---
kind: DurableLocal.Workflow
metadata: { name: main }
journal: !ref runs
runId: !cel inputs.way
inputs: { way: !cel inputs.way }
steps:
  - name: first
    invoke: !ref harmless
  - name: way
    switch: !cel inputs.way
    cases:
      answer: [{ name: leaking, invoke: !ref answer }]
      name: [{ name: leaking, invoke: !ref named }]
      error: [{ name: leaking, throw: { code: ERR_LEAK, message: !cel "'no access with ' + secrets.token" } }]
      request: [{ name: leaking, invoke: !ref ask, inputs: { request: { use: !cel secrets.token } } }]
    default:
      - { name: ask, invoke: !ref ask }
`;

interface Ended {
  readonly code: number;
  readonly output: string;
}

describe('a run of an application with secrets', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    writeFileSync(join(folder, 'telo.yaml'), MANIFEST);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const cli = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    new Promise((done) => {
      const all = { ...process.env, APP_TOKEN: TOKEN, APP_SHORT: 'short12', APP_JOURNAL_KEY: KEY, ...env };
      execFile(process.execPath, [MAIN, ...args], { cwd: folder, env: all }, (error, stdout, stderr) => {
        done({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
      });
    });
  const start = (way: string) => cli(['run', 'telo.yaml', '--inputs', JSON.stringify({ way })]);
  const reading = (...args: string[]) => cli([...args, '--journal', 'runs.db'], { TELO_XMD_JOURNAL_KEY: KEY });
  /** Every byte that is left behind. */
  const files = (): string =>
    readdirSync(folder)
      .filter((name) => name !== 'telo.yaml')
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');

  it.each([
    ['answer', 'ERR_DURABLE_SECRET_VALUE', 'the effect behind it has been performed'],
    ['name', 'ERR_DURABLE_SECRET_VALUE', 'the effect behind it has been performed'],
    ['request', 'ERR_DURABLE_SECRET_VALUE', 'it holds the value of a secret'],
    ['error', 'ERR_LEAK', 'no access with ***'],
  ])('SC-30 a secret in its %s is in no file and nothing printed', async (way, code, told) => {
    const ended = await start(way);
    expect(ended).toMatchObject({ code: 1, output: expect.stringContaining(code) });
    const shown = await reading('show', way);
    expect(shown.output).toContain(code);
    for (const secret of SPELLINGS) {
      expect(ended.output + shown.output).not.toContain(secret);
      expect(files()).not.toContain(secret);
    }
    expect(shown.output).toContain(told);
    // The control: what is no secret, and one too short to be told from ordinary text, is there.
    expect(files()).toContain('short12');
  });

  it('SC-30 goes on where nothing holds one, over processes, under a key of the journal', async () => {
    expect((await start('other')).code).toBe(2);
    expect((await reading('answer', 'other', '"yes"', '--resume')).code).toBe(0);
    expect((await reading('show', 'other')).output).toContain('completed');
    for (const secret of SPELLINGS) expect(files()).not.toContain(secret);
  });

  it('SC-30 refuses inputs and a run id that hold one, and admits nothing', async () => {
    const first = await cli(['run', 'telo.yaml', '--inputs', JSON.stringify({ way: TOKEN })]);
    const second = await cli(['run', 'telo.yaml', '--inputs', JSON.stringify({ way: 'x', more: [TOKEN] })]);
    for (const { code, output } of [first, second]) {
      expect(code).not.toBe(0);
      expect(output).toContain('ERR_DURABLE_SECRET_VALUE');
      expect(output).not.toContain(TOKEN);
    }
    expect((await reading('runs', '--json')).output).not.toContain('"run"');
  });

  it('J-47 the journal opens with its key alone', async () => {
    await start('other');
    const without = await cli(['runs', '--journal', 'runs.db']);
    expect(without.output).toContain('ERR_DURABLE_JOURNAL_KEY');
    const another = await cli(['run', 'telo.yaml', '--inputs', '{"way":"other"}'], { APP_JOURNAL_KEY: `${KEY}-2` });
    expect(another.code).not.toBe(0);
    expect(another.output).toContain('ERR_DURABLE_JOURNAL_KEY');
    expect((await reading('runs')).output).toContain('other');
  });
});
