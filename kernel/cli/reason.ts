import type { RunRecord, WaitRecord } from '@telorun/sdk/journal';
import { isDoubt } from './doubt.ts';
import { printable } from './printable.ts';

/** An instant as ISO text without milliseconds. Pure. */
export function instant(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? String(epochMs) : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Why a run is where it is at `now` (epoch ms), in one sentence, one for each open wait. Pure. */
export function reasonOf(record: RunRecord, waits: readonly WaitRecord[], now: number): string {
  const open = waits.filter((wait) => wait.state === 'open');
  switch (record.status) {
    case 'completed':
      return 'It completed.';
    case 'failed':
      return `It failed with ${printable(record.error?.code ?? 'INTERNAL_ERROR')}: ${printable(record.error?.message ?? '')}`;
    case 'cancelled':
      return `It was cancelled: ${printable(record.error?.message ?? 'no reason given')}`;
    case 'scheduled':
      return record.dueAt === undefined ? 'It is scheduled.' : `It is scheduled for ${instant(record.dueAt)}.`;
    case 'parked':
      return open.length === 0
        ? 'Its waits are over; it continues when it is resumed.'
        : open.map((wait) => waitSentence(wait, now)).join(' ');
    case 'running':
      if (record.claimed === true) return 'A process is running it.';
      if (record.problem !== undefined) {
        return `It stopped without settling, ${printable(record.problem.code)}: ${printable(record.problem.message)}`;
      }
      return 'It was interrupted or answered; it continues when it is resumed.';
    default:
      return record.status satisfies never;
  }
}

/** What one open wait waits for, since when; that it is over where its time came before `now`. Pure. @see kernel-specs/command-line.md CL-14 */
export function waitSentence(wait: WaitRecord, now: number): string {
  if (wait.at !== undefined && wait.at <= now) {
    const ended = isInstant(wait) ? 'It waited' : 'No answer came';
    return `${ended} at ${printable(wait.path)} until ${instant(wait.at)} (${printable(wait.resource)}); it continues when it is resumed.`;
  }
  const limit = wait.at === undefined || isInstant(wait) ? '' : `, until ${instant(wait.at)} at the latest`;
  return `It waits at ${printable(wait.path)} ${awaited(wait)} (${printable(wait.resource)}), since ${instant(wait.since)}${limit}.`;
}

/** What one wait waits for, as it goes after "waits". Pure. */
export function awaited(wait: WaitRecord): string {
  if (isDoubt(wait)) return 'for a decision (--doubt done, retry or fail) about a call that may have happened';
  if (isInstant(wait)) return `until ${instant(wait.at)}`;
  return wait.token === undefined ? 'for the time to come' : 'for an answer';
}

/** A wait that nobody can shorten: it is over at its instant, and not before. */
function isInstant(wait: WaitRecord): wait is WaitRecord & { readonly at: number } {
  return wait.at !== undefined && wait.token === undefined && !isDoubt(wait);
}
