import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { FencedJournal, JournalEntry, RunRecord, WaitRecord } from '@telorun/sdk/journal';
import { openJournal } from '../../../controllers/journal-sqlite/index.ts';
import { command, REPOSITORY, startCommand } from './command.ts';
import type { Ended, Started } from './command.ts';

type Env = Readonly<Record<string, string>>;
export type EnvOf = (folder: string) => Env;

const LIBRARIES: Readonly<Record<string, string>> = {
  DurableJournalSqlite: join(REPOSITORY, 'manifests', 'durable-journal-sqlite'),
  Xmd: join(REPOSITORY, 'manifests', 'xmd'),
  Faults: join(REPOSITORY, 'tests', 'support', 'faults'),
  Counted: join(REPOSITORY, 'tests', 'support', 'processes', 'counted'),
};

/** What the log of a sandbox holds, over all its processes, in the order of time. */
export type LogLine =
  | { readonly kind: 'journal'; readonly call: string; readonly path: string }
  | { readonly kind: 'fs'; readonly call: string; readonly path: string }
  | { readonly kind: 'call' | 'change'; readonly name: string; readonly path: string; readonly attempt: string };

/** What stands on record of a run, its times and what is drawn at random left out. */
export interface Recorded {
  readonly status: string;
  readonly result: unknown;
  readonly error: unknown;
  readonly entries: readonly JournalEntry[];
  readonly waits: readonly string[];
}

/** A folder with a manifest, a workspace and a journal; every process of a test works in it. */
export class Sandbox {
  readonly folder: string;
  readonly #envOf: EnvOf;

  /** A copy of another one, or an empty one. `envOf` says what the processes of a folder have in their environment. */
  constructor(from?: Sandbox, envOf: EnvOf = from === undefined ? () => ({}) : from.#envOf) {
    this.#envOf = envOf;
    this.folder = mkdtempSync(join(tmpdir(), 'telo-xmd-process-'));
    if (from !== undefined) cpSync(from.folder, this.folder, { recursive: true });
    mkdirSync(this.workspace, { recursive: true });
  }

  get workspace(): string {
    return join(this.folder, 'workspace');
  }

  get journalFile(): string {
    return join(this.folder, '.telo', 'runs.db');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  put(path: string, text: string, mode = 0o644): void {
    const file = join(this.workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode });
  }

  text(path: string): string | undefined {
    const file = join(this.workspace, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Writes the manifest: an application over the journal `runs`, which can be told to fail, and these documents. */
  manifest(documents: string): void {
    writeFileSync(join(this.folder, 'telo.yaml'), `${this.head('Sandbox')}---\n${documents.trim()}\n`);
  }

  /** Replaces a part of the manifest, which must be there. */
  edit(part: string, other: string): void {
    const file = join(this.folder, 'telo.yaml');
    const text = readFileSync(file, 'utf8');
    if (!text.includes(part)) throw new Error(`the manifest has no ${part}`);
    writeFileSync(file, text.replace(part, other));
  }

  /** The library folders as they are named from here. */
  library(name: string): string {
    return relative(this.folder, LIBRARIES[name] ?? '');
  }

  private head(name: string): string {
    const own = Object.keys(LIBRARIES).map((library) => `  ${library}: ${this.library(library)}`);
    return [
      'kind: Telo.Application',
      `metadata: { name: ${name}, version: 1.0.0 }`,
      'imports:',
      ...['run', 'durable', 'durable-local'].map(
        (module) => `  ${pascal(module)}: oci://ghcr.io/telorun/${module}@latest`,
      ),
      ...own,
      '---',
      'kind: DurableJournalSqlite.Journal',
      'metadata: { name: file }',
      '---',
      'kind: Faults.Journal',
      'metadata: { name: runs }',
      'journal: !ref file',
      '',
    ].join('\n');
  }

  start(args: readonly string[], env: Env = {}, user?: number): Started {
    return startCommand(args, {
      cwd: this.folder,
      env: { ...this.env(), ...env },
      ...(user === undefined ? {} : { user }),
    });
  }

  command(args: readonly string[], env: Env = {}): Promise<Ended> {
    return command(args, { cwd: this.folder, env: { ...this.env(), ...env } });
  }

  /** Every process logs into one file: journal writes, changes below the workspace, and calls of counted operations. */
  private env(): Env {
    const log = join(this.folder, 'log');
    return {
      FAULTS_LOG: log,
      FAULTS_FS_LOG: log,
      FAULTS_FS_ROOT: this.workspace,
      COUNTED_LOG: log,
      COUNTED_KEYS: join(this.folder, 'keys'),
      ...this.#envOf(this.folder),
    };
  }

  log(): readonly LogLine[] {
    const file = join(this.folder, 'log');
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(readLine);
  }

  /** How often counted operations were called, by name. */
  calls(name: string): readonly string[] {
    return this.log().flatMap((line) => (line.kind === 'call' && line.name === name ? [line.attempt] : []));
  }

  async journal<T>(work: (journal: FencedJournal) => Promise<T>): Promise<T> {
    const journal = await openJournal({ file: this.journalFile, create: false });
    try {
      return await work(journal);
    } finally {
      journal.close();
    }
  }

  async record(run: string): Promise<RunRecord | undefined> {
    if (!existsSync(this.journalFile)) return undefined;
    return this.journal((journal) => journal.readRun(run));
  }

  waits(run: string): Promise<readonly WaitRecord[]> {
    return this.journal((journal) => journal.readWaits(run));
  }

  entries(run: string): Promise<readonly JournalEntry[]> {
    return this.journal((journal) => journal.readEntries(run));
  }

  async paths(run: string): Promise<readonly string[]> {
    return (await this.entries(run)).map(({ path }) => path);
  }

  /** Everything on record of a run that two runs of the same program have in common. */
  async recorded(run: string): Promise<Recorded> {
    const record = await this.record(run);
    const entries = await this.entries(run);
    const waits = await this.waits(run);
    return {
      status: record?.status ?? 'none',
      result: record?.result,
      error: record?.error,
      entries: entries.map(withoutRandom),
      waits: waits.map(({ path, state }) => `${path} ${state}`),
    };
  }

  /** Each file and folder of the workspace, with its mode and text. */
  files(): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const entry of readdirSync(this.workspace, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const mode = (statSync(file).mode & 0o777).toString(8);
      const short = relative(this.workspace, file);
      found[short] = entry.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(file, 'utf8')}`;
    }
    return found;
  }
}

function readLine(line: string): LogLine {
  const [first = '', second = '', third = '', fourth = ''] = line.split('\t');
  switch (first) {
    case 'fs':
      return { kind: 'fs', call: second, path: third };
    case 'call':
    case 'change':
      return { kind: first, name: second, path: third, attempt: fourth };
    default:
      return { kind: 'journal', call: second, path: fourth };
  }
}

/** A token, and the identity of a call, are drawn at random: no two runs have the same. */
function withoutRandom(entry: JournalEntry): JournalEntry {
  return /\/(?:token|begun)$/.test(entry.path) ? { path: entry.path, kind: entry.kind, value: 'RANDOM' } : entry;
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)(.)/g, (_match, letter: string) => letter.toUpperCase());
}
