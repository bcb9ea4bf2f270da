import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the repository. */
export const REPOSITORY = join(import.meta.dirname, '..', '..', '..');

const MAIN = join(REPOSITORY, 'dist', 'kernel', 'main.mjs');
const PRELOADS = ['fs-faults.mjs', 'sql-faults.mjs', 'clock.mjs'];
/** A child that does not end is a failure of its own; far beyond what a loaded machine needs. */
const CHILD_MS_MAX = 60_000;

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** User and group that the process runs as. */
  readonly user?: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts the built command line as a process of its own, with the preloads of this folder. Effect. */
export function startCommand(args: readonly string[], options: CommandOptions): Started {
  const { cwd, env = {}, stdin, user } = options;
  const imports = PRELOADS.map((name) => `--import ${join(import.meta.dirname, name)}`).join(' ');
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...withoutFaults(process.env), NODE_OPTIONS: imports, NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: CHILD_MS_MAX,
    killSignal: 'SIGABRT',
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // A killed child leaves a broken pipe; what it did not read does not matter.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin ?? '');
  return {
    pid: child.pid ?? 0,
    process: child,
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    }),
  };
}

/** Runs the built command line to its end. Effect. */
export function command(args: readonly string[], options: CommandOptions): Promise<Ended> {
  return startCommand(args, options).ended;
}

function withoutFaults(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(FAULTS|COUNTED|TELO_XMD|NODE_OPTIONS)/.test(name)),
  );
}

/** Resolves once the system says that the process is stopped; rejects when it ends instead. */
export async function untilStopped({ pid, process: child, ended }: Started): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    if (stateOf(pid) === 'T') return;
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
  const { code, signal, stderr } = await ended;
  throw new Error(`process ${String(pid)} ended (${String(code ?? signal)}) instead of stopping: ${stderr}`);
}

function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0];
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
