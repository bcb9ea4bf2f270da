import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errnoOf } from './file-problem.ts';

/** `.xmd-<host>-<pid>-<start>-<random>.tmp`: who is writing, so that a dead writer's file can be told. */
const TEMPORARY = /^\.xmd-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{32}\.tmp$/i;

/** A file of a process that this host cannot ask about is left alone for this long. */
const FOREIGN_MS_MAX = 24 * 60 * 60 * 1_000;

interface Writer {
  readonly host: string;
  readonly start: string;
}

let own: Writer | undefined;

/** A name for one temporary file of this process that nobody can guess. Effect: draws random bytes. */
export function temporaryName(): string {
  own ??= { host: hostTag(), start: startOf(process.pid) ?? '0' };
  return `.xmd-${own.host}-${process.pid}-${own.start}-${randomBytes(16).toString('hex')}.tmp`;
}

/** Whether a name is one that `temporaryName` gives, in any process. Pure. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith('.') && TEMPORARY.test(name);
}

/**
 * Whether a temporary file was left by a writer that is gone: its process has ended, or it belongs to another host and
 * is a day old. Effect: asks the system about one process.
 *
 * @see kernel-specs/files.md FS-37
 */
export function isLeftover(name: string, file: { readonly mtimeMs: number; readonly nowMs: number }): boolean {
  const found = TEMPORARY.exec(name);
  if (found === null) {
    return false;
  }
  const [, host, pid, start] = found;
  own ??= { host: hostTag(), start: startOf(process.pid) ?? '0' };
  if (host !== own.host || own.start === '0') {
    return file.nowMs - file.mtimeMs > FOREIGN_MS_MAX;
  }
  return startOf(Number(pid)) !== start;
}

/** Start time of a process in clock ticks since boot; undefined when there is none such, or no /proc. */
function startOf(pid: number): string | undefined {
  const stat = readText(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The command name in parentheses may hold spaces and parentheses; the start time is the 20th field behind it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/** Names the machine, its boot and its process namespace: where process ids have one meaning. */
function hostTag(): string {
  const boot = readText(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')) ?? hostname();
  const namespace = readText(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  return createHash('sha256').update(`${boot}${namespace}`).digest('hex').slice(0, 8);
}

function readText(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === undefined) {
      throw error;
    }
    return undefined;
  }
}
