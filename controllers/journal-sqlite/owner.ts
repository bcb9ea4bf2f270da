import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Which process holds a claim, said so that another process of the same machine can tell whether it still lives. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  /** Boot and process namespace: process ids mean the same only where this is the same. Absent off Linux. */
  readonly machine?: string;
  /** When the process began, in the kernel's ticks since boot: a process id that is used again begins later. */
  readonly started?: string;
}

/** What the operating system says about processes; replaced in tests. */
export interface ProcessTable {
  readonly self: Owner;
  /** When a living process began; `gone` when there is none or it only waits to be reaped; undefined when it cannot be told. */
  started(pid: number): string | undefined;
}

const STATE_FIELD = 0;
const START_FIELD = 19;
const GONE = 'gone';

/** The processes of this machine, through /proc. Effect: reads it. */
export function systemProcesses(): ProcessTable {
  const machine = readMachine();
  const started = machine === undefined ? undefined : readStarted(process.pid);
  return {
    self: {
      host: hostname(),
      pid: process.pid,
      ...(machine === undefined || started === undefined ? {} : { machine, started }),
    },
    started: readStarted,
  };
}

/**
 * Whether the owner is known to be dead. Anything that cannot be told (another machine, another namespace, a system
 * without /proc) counts as alive: the claim then lapses by its time. Effect: reads /proc.
 */
export function isDead(owner: string | null, processes: ProcessTable): boolean {
  const { machine } = processes.self;
  if (owner === null || machine === undefined) return false;
  const held = readOwner(owner);
  if (held === undefined || held.machine !== machine || held.started === undefined) return false;
  const started = processes.started(held.pid);
  return started !== undefined && started !== held.started;
}

function readOwner(text: string): Owner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('host' in value) || !('pid' in value) || !('machine' in value) || !('started' in value)) return undefined;
  const { host, pid, machine, started } = value;
  if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
  if (typeof machine !== 'string' || typeof started !== 'string') return undefined;
  return { host, pid, machine, started };
}

function readMachine(): string | undefined {
  const boot = readOrNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = readOrNothing(() => readlinkSync('/proc/self/ns/pid'));
  return boot === undefined || namespace === undefined ? undefined : `${boot} ${namespace}`;
}

function readStarted(pid: number): string | undefined {
  const stat = readOrNothing(() => readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  // The name in parentheses may hold anything, so the fields are counted from behind the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined) return isGone(pid) ? GONE : undefined;
  return fields[STATE_FIELD] === 'Z' || fields[STATE_FIELD] === 'X' ? GONE : fields[START_FIELD];
}

/** A /proc mounted with hidepid shows nothing of other users' processes, a signal of 0 still tells that they are there. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

function readOrNothing(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
