import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ProcessTable, isDead } from '../journal-sqlite/owner.ts';
import { LockedError, errnoOf } from './errors.ts';

/** How long a lock of a process counts whose life cannot be told from here, in milliseconds. */
const UNKNOWN_OWNER_MS = 60_000;
const WAIT_MS_MIN = 0.1;
const WAIT_MS_MAX = 10;
const NONCE_BYTES = 12;

export interface LockOptions {
  readonly processes: ProcessTable;
  readonly timeoutMs: number;
}

/**
 * Does `work` while no other process does under the same name. A symbolic link is made or is there already, in one step,
 * and says whose it is. The link of a dead process is broken; so is, after a minute, that of one that cannot be asked.
 *
 * Effect: the link, and its folder where it is missing. Throws LockedError.
 */
export function locked<T>(path: string, { processes, timeoutMs }: LockOptions, work: () => T): T {
  const own = JSON.stringify({ ...processes.self, nonce: randomBytes(NONCE_BYTES).toString('base64url') });
  acquire(path, own, { processes, timeoutMs });
  try {
    return work();
  } finally {
    // Whoever took us for dead has made the name its own.
    if (ownerOf(path) === own) unlinkSync(path);
  }
}

function acquire(path: string, own: string, { processes, timeoutMs }: LockOptions): void {
  const until = performance.now() + timeoutMs;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitMs = WAIT_MS_MIN; ; waitMs = Math.min(WAIT_MS_MAX, waitMs * 2)) {
    if (link(path, own)) return;
    const owner = ownerOf(path);
    if (owner === undefined) continue;
    if (isAbandoned(path, owner, processes) && breakLock(path, owner, own, processes)) continue;
    if (performance.now() >= until) throw new LockedError('the run is being written by another process');
    Atomics.wait(pause, 0, 0, waitMs);
  }
}

/** Whether the link is made now. */
function link(path: string, own: string): boolean {
  try {
    symlinkSync(own, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return link(path, own);
}

function ownerOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isAbandoned(path: string, owner: string, processes: ProcessTable): boolean {
  if (isDead(owner, processes)) return true;
  if (isOfThisMachine(owner, processes)) return false;
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > UNKNOWN_OWNER_MS;
}

/** Where boot and process namespace are ours, a process that is not dead is alive, be it stopped. */
function isOfThisMachine(owner: string, { self }: ProcessTable): boolean {
  if (self.machine === undefined) return false;
  const { machine, started }: { machine?: unknown; started?: unknown } = parsedOwner(owner);
  return machine === self.machine && started !== undefined;
}

function parsedOwner(owner: string): object {
  try {
    const value: unknown = JSON.parse(owner);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/**
 * Removes the lock `owner` if it is still that one. Only who wins a name made from it may do so, thus it stays in place
 * until then; where the winner died on the way, the next name is tried.
 */
function breakLock(path: string, owner: string, own: string, processes: ProcessTable): boolean {
  const name = createHash('sha256').update(`${path} ${owner}`).digest('base64url');
  const made: string[] = [];
  for (let turn = 0; ; turn += 1) {
    const right = join(dirname(path), `${name}.${String(turn)}`);
    made.push(right);
    if (link(right, own)) break;
    const breaker = ownerOf(right);
    if (breaker === undefined || !isAbandoned(right, breaker, processes)) return ownerOf(path) !== owner;
  }
  if (ownerOf(path) === owner) unlinkSync(path);
  for (const right of made.toReversed()) if (ownerOf(right) !== undefined) unlinkSync(right);
  return true;
}
