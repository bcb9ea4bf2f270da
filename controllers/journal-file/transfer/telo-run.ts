import type { RunRecord, WholeRun } from '@telorun/sdk/journal';
import { present } from '../../journal-sqlite/values.ts';
import type { OwnLine } from '../own-line.ts';
import { entryLine, runLine, withUrlTarget } from '../run-line.ts';
import { keptText } from '../text.ts';
import { plainWait } from '../waits.ts';

/** Open waits are those of the latest execution, others of one before it: an answered one does not make the run due again. */
const FENCE = 1;

/** A whole run in the two kinds of lines that a folder of journal files holds. */
export interface TeloRun {
  /** Telo's lines, each with its end: how the run began, its entries, how it stands. */
  readonly lines: readonly string[];
  /** What those have no place for. */
  readonly notes: readonly OwnLine[];
}

/** Where a run's exact values and names of modules are put while its lines are spelled. */
interface Spelling {
  readonly run: string;
  readonly notes: OwnLine[];
}

/**
 * Spells a run. Pure.
 *
 * @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE
 */
export function teloRun({ record, entries, waits }: WholeRun, now: number): TeloRun {
  const { run, createdAt, program, problem } = record;
  const spelling: Spelling = { run, notes: [] };
  const head = headOf(record, spelling);
  const body = entries.map((entry) => {
    const { written, module } = withUrlTarget(entry);
    if (module !== undefined) spelling.notes.push({ type: 'module', path: entry.path, module });
    return entryLine(written, plain(spelling, 'entry', entry));
  });
  const end = endOf(record, spelling);
  const notes: readonly OwnLine[] = [
    { type: 'admitted', at: createdAt ?? now, ...present('program', program) },
    ...waits.flatMap(({ state, since, ...wait }): readonly OwnLine[] => {
      const asked = { type: 'wait', fence: state === 'open' ? FENCE : 0, since, wait: plainWait(wait) } as const;
      return state === 'closed' ? [asked, { type: 'closed', path: wait.path }] : [asked];
    }),
    ...spelling.notes,
    { type: 'free', fence: FENCE, ...present('problem', problem) },
  ];
  return { lines: [head, ...body, ...end], notes };
}

function headOf(record: RunRecord, spelling: Spelling): string {
  const { run, status, dueAt } = record;
  const inputs = plain(spelling, 'inputs', { path: '', value: record.inputs });
  if (status !== 'scheduled') return runLine(run, { status: 'running', inputs });
  return runLine(run, { status, ...present('dueAt', dueAt), inputs });
}

/** Nothing for a run that stands as it began. */
function endOf(record: RunRecord, spelling: Spelling): readonly string[] {
  const { run, status, parked, dueAt, error, collapsedRegions, collapseReasons } = record;
  if (status === 'running' || status === 'scheduled') return [];
  if (error?.data !== undefined) spelling.notes.push({ type: 'exact', of: 'error', path: '', value: error });
  return [
    runLine(run, {
      status,
      ...present('parked', parked),
      ...present('dueAt', dueAt),
      result: plain(spelling, 'result', { path: '', value: record.result }),
      ...present('error', error),
      ...present('collapsedRegions', collapsedRegions),
      ...present('collapseReasons', collapseReasons),
    }),
  ];
}

function plain(
  { run, notes }: Spelling,
  of: 'entry' | 'inputs' | 'result',
  { path, value }: { readonly path: string; readonly value?: unknown },
): string | undefined {
  const kept = keptText(value, { run, path });
  if (kept.exact !== undefined) notes.push({ type: 'exact', of, path, value });
  return kept.plain;
}
