import type { DurableRunHandle } from '@telorun/sdk';
import { recordUnreadable } from '../errors.ts';
import type { FileObservation, Files } from '../providers/files.ts';
import { atEffect, conflict } from './effect-problem.ts';
import type { EffectScope } from './performer.ts';

const SHA256 = /^[0-9a-f]{64}$/;

/** A change that is about to be made at `path`. */
interface Change {
  readonly files: Files;
  readonly path: string;
  readonly access: 'write' | 'delete';
  /** Whether `now` is what the change leaves, given what it found. Pure. */
  reached(now: FileObservation, before: FileObservation): boolean;
}

/**
 * Makes a change, unless a former process made it and its record was lost. Between the last look at its target and
 * `perform` nothing else of this process runs.
 *
 * Durable: one decision at `<effect>/before`, in attempt n >= 1 at `<effect>/before[n]`. Without a run there is none.
 *
 * @throws InvokeError ERR_XMD_CONFLICT when the file is in neither state; ERR_XMD_RECORD_UNREADABLE; ERR_XMD_EFFECT.
 * @see docs/adr/0003-pre-images.md
 */
export async function changeOnce(change: Change, scope: EffectScope, perform: () => void): Promise<void> {
  if (scope.durable === undefined) {
    if (scope.approved === undefined || remains(change, scope, approvedBefore(change, scope))) perform();
    return;
  }
  await confirmFormerAttempts(change, scope, scope.durable);
  const { before, fresh } = await look(change, scope, { durable: scope.durable, attempt: scope.attempt });
  if (fresh || remains(change, scope, before)) perform();
}

/** Whether a change is still to be made, now that its target is to be as `before`, or as the change leaves it. */
function remains(change: Change, scope: EffectScope, before: FileObservation): boolean {
  const now = observe(change, scope);
  if (change.reached(now, before)) {
    atEffect(scope.path, () => change.files.persist(change.path));
    return false;
  }
  if (!sameObservation(now, before)) {
    throw conflict(scope.path, change.path);
  }
  return true;
}

// A conflict is no decision, so a later attempt finds it the way the first did: against what was recorded before. A
// handle that cannot say what is recorded is asked for each former look, and takes one where there was none.
async function confirmFormerAttempts(change: Change, scope: EffectScope, durable: DurableRunHandle): Promise<void> {
  for (let attempt = scope.attempt - 1; attempt >= 0; attempt -= 1) {
    if (durable.recorded?.(keyOf(scope.path, attempt)) === false) {
      continue;
    }
    const { before, fresh } = await look(change, scope, { durable, attempt });
    if (fresh) {
      continue;
    }
    const now = observe(change, scope);
    if (!change.reached(now, before) && !sameObservation(now, before)) {
      throw conflict(scope.path, change.path);
    }
    return;
  }
}

interface Look {
  readonly before: FileObservation;
  /** Taken in this very call, not answered from the record. */
  readonly fresh: boolean;
}

async function look(
  change: Change,
  scope: EffectScope,
  at: { readonly durable: DurableRunHandle; readonly attempt: number },
): Promise<Look> {
  let found: FileObservation | undefined;
  const key = keyOf(scope.path, at.attempt);
  const recorded: unknown = await at.durable.decide<unknown>(key, 'value', () => {
    found = scope.approved === undefined ? observe(change, scope) : undefined;
    return found ?? approvedBefore(change, scope);
  });
  const before = readObservation(recorded);
  if (before === undefined) {
    throw recordUnreadable(key, 'the pre-image');
  }
  // A handle may answer what another writer recorded first: then this look does not count.
  return { before, fresh: found !== undefined && sameObservation(found, before) };
}

/** What was approved that stands there; a look of this moment never takes its place, so a file that moved is found out. */
function approvedBefore(change: Change, scope: EffectScope): FileObservation {
  const now = observe(change, scope);
  const before = scope.approved === undefined ? now : scope.approved.before(now);
  if (before === undefined) {
    throw conflict(scope.path, change.path);
  }
  return before;
}

/** What stands there; under an approval only where it was approved: a link that leads elsewhere by now is a conflict. */
function observe({ files, path, access }: Change, { path: effect, approved }: EffectScope): FileObservation {
  if (approved === undefined) {
    return atEffect(effect, () => files.observe(path));
  }
  const { place, found } = atEffect(effect, () => files.inspect(path, { access, maxBytes: 0 }));
  if (place !== approved.place) {
    throw conflict(effect, path);
  }
  return found;
}

function keyOf(effect: string, attempt: number): string {
  return attempt === 0 ? `${effect}/before` : `${effect}/before[${attempt}]`;
}

function sameObservation(one: FileObservation, other: FileObservation): boolean {
  if ('absent' in one || 'absent' in other) {
    return 'absent' in one && 'absent' in other;
  }
  return one.sha256 === other.sha256 && one.mode === other.mode;
}

/** Reads a recorded pre-image, a closed shape. Pure. Answers undefined for anything else. */
export function readObservation(value: unknown): FileObservation | undefined {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const members = Object.keys(value).toSorted().join();
  if (members === 'absent' && 'absent' in value && value.absent === true) {
    return { absent: true };
  }
  if (members !== 'mode,sha256' || !('sha256' in value) || !('mode' in value)) {
    return undefined;
  }
  const { sha256, mode } = value;
  const known = typeof sha256 === 'string' && SHA256.test(sha256) && isMode(mode);
  return known ? { sha256, mode } : undefined;
}

function isMode(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0o777;
}
