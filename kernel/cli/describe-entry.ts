import type { JournalEntry, RunRecord, WaitRecord } from '@telorun/sdk/journal';
import { brief, printable } from './printable.ts';

/** How one entry is told to a person: what it is, and what came of it. */
export interface Told {
  readonly label: string;
  readonly detail: string;
}

const HIDDEN = /(^|\/)(inputs|token|deadline|wakeAt|value|when|before(\[\d+\])?|begun|collection)$/;
const OUTCOME = /(^|\/)generated_xmd\/outcome(\[\d+\])?$/;
const ADMISSION = /(^|\/)generated_xmd$/;
const RETRY = /\/retry\[(\d+)\]$/;

/** The last segments of `path` below `ancestor`, as a person reads them. Pure. */
export function labelOf(path: string, ancestor: string): string {
  const rest = ancestor !== '' && path.startsWith(`${ancestor}/`) ? path.slice(ancestor.length + 1) : path;
  return printable(rest.replace(/^steps\//, '').replaceAll(/(^|\/)xmd\[(\d+)\]\//g, '$1'));
}

/** Tells one entry, or undefined for bookkeeping that says nothing to a person. Never a token. Pure. */
export function tell(entry: JournalEntry, ancestor: string): Told | undefined {
  if (entry.kind === 'step') return tellStep(entry, ancestor);
  if (ADMISSION.test(entry.path)) return tellAdmission(entry.value);
  if (entry.path.startsWith('override/')) return { label: printable(entry.path), detail: brief(entry.value) };
  const retry = RETRY.exec(entry.path);
  if (retry !== null) {
    const due = typeof entry.value === 'number' ? `, next at ${instant(entry.value)}` : '';
    return { label: `attempt ${Number(retry[1]) + 1} failed`, detail: due.replace(/^, /, '') };
  }
  if (HIDDEN.test(entry.path)) return undefined;
  return { label: labelOf(entry.path, ancestor), detail: brief(entry.value) };
}

function tellStep(entry: JournalEntry, ancestor: string): Told | undefined {
  if (OUTCOME.test(entry.path)) {
    const failure = member(entry.value, 'outcome') === 'failed' ? entry.value : undefined;
    if (failure === undefined) return undefined;
    return { label: 'stopped', detail: `${brief(member(failure, 'effect'))} ${brief(member(failure, 'code'))}` };
  }
  const target = entry.target === undefined ? '' : printable(`${entry.target.kind}/${entry.target.name}`);
  const value = entry.value === undefined || entry.value === null ? '' : brief(entry.value, 72);
  return { label: labelOf(entry.path, ancestor), detail: [target, value].filter((part) => part !== '').join('  ') };
}

function tellAdmission(value: unknown): Told {
  if (member(value, 'decision') === 'admitted') {
    const elements = member(value, 'elements');
    const count = Array.isArray(elements) ? elements.length : 0;
    const allow = member(member(value, 'policy'), 'allow');
    const granted = Array.isArray(allow) ? `, allow ${allow.map(String).join(', ')}` : '';
    return { label: 'admitted', detail: printable(`${count} ${count === 1 ? 'element' : 'elements'}${granted}`) };
  }
  const refusal = member(value, 'refusal');
  const place = `${String(member(refusal, 'line'))}:${String(member(refusal, 'column'))}`;
  return { label: 'refused', detail: printable(`${String(member(refusal, 'class'))} at ${place} of the fragment`) };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** An instant as ISO text without milliseconds. Pure. */
export function instant(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? String(epochMs) : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Why a run is where it is, in one sentence. Pure. */
export function reasonOf(record: RunRecord, waits: readonly WaitRecord[]): string {
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
        : open.map(waitSentence).join(' ');
    case 'running':
      if (record.problem !== undefined) {
        return `It stopped without settling, ${printable(record.problem.code)}: ${printable(record.problem.message)}`;
      }
      return record.claimed === true
        ? 'A process is running it.'
        : 'It was interrupted or answered; it continues when it is resumed.';
    default:
      return record.status satisfies never;
  }
}

/** What one open wait waits for, since when. Pure. */
export function waitSentence(wait: WaitRecord): string {
  const what = wait.token === undefined ? 'the time to come' : 'an answer';
  const until = wait.at === undefined ? '' : `, until ${instant(wait.at)} at the latest`;
  return `It waits at ${printable(wait.path)} for ${what} (${printable(wait.resource)}), since ${instant(wait.since)}${until}.`;
}
