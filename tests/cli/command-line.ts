import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
const MAIN = join(ROOT, 'dist', 'kernel', 'main.mjs');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when what the process wrote to standard error contains `text`. */
  said(text: string): Promise<void>;
}

/** A folder of its own with an application in it, and the built command line run there as a child process. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'telo-xmd-cli-'));
  readonly #env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
  }

  /** Writes a file below the folder and answers its absolute path. */
  write(name: string, content: string | Uint8Array): string {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  path(...segments: readonly string[]): string {
    return join(this.folder, ...segments);
  }

  start(args: readonly string[], options: { stdin?: string; env?: Readonly<Record<string, string>> } = {}): Running {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], HOME: this.folder, NO_COLOR: '1', ...this.#env, ...options.env },
    });
    let stdout = '';
    let stderr = '';
    const listeners = new Set<() => void>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      for (const listener of listeners) listener();
    });
    // A command that does not read its input may end before all of it is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    return {
      ended,
      kill: (signal) => void child.kill(signal),
      said: (text) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            if (stderr.includes(text)) resolve();
          };
          listeners.add(look);
          look();
          void ended.then(() => reject(new Error(`It ended without saying "${text}": ${stderr}`)));
        }),
    };
  }

  async run(args: readonly string[], options: { stdin?: string; env?: Readonly<Record<string, string>> } = {}) {
    return this.start(args, options).ended;
  }

  /** Runs in a pseudo-terminal and answers what appeared there. */
  async terminal(args: readonly string[], options: { env?: Readonly<Record<string, string>> } = {}): Promise<string> {
    const command = [process.execPath, MAIN, ...args].map((one) => `'${one}'`).join(' ');
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], HOME: this.folder, NO_COLOR: '1', TERM: 'xterm', ...options.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', () => resolve(said));
    });
  }

  /** Runs with --json and reads the one document on standard output. */
  async json(args: readonly string[]): Promise<{ readonly code: number | null; readonly value: Json }> {
    const { code, stdout } = await this.run([...args, '--json']);
    const value: Json = JSON.parse(stdout);
    return { code, value };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

// What a command printed; each test states the shape that it expects.
export type Json = Readonly<Record<string, unknown>>;

/** The package as a clone has it, with its built parts shared, so that `npm start` can be tried without touching ours. */
export function packageCopy(place: Place): void {
  for (const name of ['package.json', 'scripts', 'README.md', 'manifests/examples']) {
    cpSync(join(ROOT, name), place.path(name), { recursive: true, filter: (from) => !/workspace$|\.telo$/.test(from) });
  }
  for (const name of ['dist', 'sdk', 'node_modules', 'manifests/xmd', 'manifests/durable-journal-sqlite']) {
    symlinkSync(join(ROOT, name), place.path(name));
  }
}
