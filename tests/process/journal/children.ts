import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const CHILD = new URL('./child.mjs', import.meta.url).pathname;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly unknown[];
  readonly stderr: string;
}

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** The next line that the child has printed or will print. */
  line(): Promise<unknown>;
}

export function startChild(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = CHILD,
): Child {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: unknown[] = [];
  let read = 0;
  let stderr = '';
  const waiting: ((line: unknown) => void)[] = [];
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text));
    if (waiting.length > 0) waiting.shift()?.(lines[read++]);
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    ended: new Promise((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, lines, stderr }));
    }),
    line: () =>
      read < lines.length ? Promise.resolve(lines[read++]) : new Promise((resolve) => waiting.push(resolve)),
  };
}

/** Resolves once the kernel says that the process is stopped. */
export async function stopped(pid: number): Promise<void> {
  for (;;) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    if (stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
