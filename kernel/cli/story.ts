import type { JournalEntry, RunRecord, WaitRecord } from '@telorun/sdk/journal';
import { instant, labelOf, reasonOf, tell } from './describe-entry.ts';
import { answerCommand, resumeCommand } from './next-command.ts';
import type { Paint } from './paint.ts';
import { brief, jsonText, printable, printableLines } from './printable.ts';

export interface Story {
  readonly record: RunRecord;
  readonly entries: readonly JournalEntry[];
  readonly waits: readonly WaitRecord[];
}

/** Tells a whole run from its journal: what it is, its steps as a tree, why it is where it is, what to type next. Pure. */
export function storyLines(story: Story, options: { paint: Paint; journal: string | undefined }): string[] {
  const { bold, dim } = options.paint;
  const { record } = story;
  const lines = [`${bold(printable(record.run))}  ${record.status}`];
  if (record.program !== undefined) {
    lines.push(dim(`  workflow ${printable(record.program.workflow)} of ${printable(record.program.manifest)}`));
  }
  if (record.createdAt !== undefined) {
    const updated = record.updatedAt === undefined ? '' : `, last written ${instant(record.updatedAt)}`;
    lines.push(dim(`  started ${instant(record.createdAt)}${updated}`));
  }
  lines.push(...treeLines(story.entries, options.paint), '', reasonOf(record, story.waits));
  lines.push(...nextLines(story, options), ...resultLines(record));
  return lines;
}

/** Entries come children first; a person reads the parent first. Order among siblings is the order of the journal. */
function treeLines(entries: readonly JournalEntry[], paint: Paint): string[] {
  const steps = entries.filter((entry) => entry.kind === 'step').map((entry) => entry.path);
  const known = new Set(steps);
  const children = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const parent = nearest(entry.path, known);
    const list = children.get(parent) ?? [];
    list.push(entry);
    children.set(parent, list);
  }
  return branch(children, known, paint);
}

function branch(
  children: ReadonlyMap<string, readonly JournalEntry[]>,
  known: ReadonlySet<string>,
  paint: Paint,
): string[] {
  const lines: string[] = [];
  const stack = [{ parent: '', depth: 1, index: 0 }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const entry = children.get(frame.parent)?.[frame.index];
    frame.index += 1;
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    const told = tell(entry, frame.parent);
    const shown = told !== undefined;
    if (shown) {
      const mark = entry.kind === 'step' ? paint.green('✓') : paint.dim('·');
      lines.push(
        `${'  '.repeat(frame.depth)}${mark} ${told.label}${told.detail === '' ? '' : `  ${paint.dim(told.detail)}`}`,
      );
    }
    if (known.has(entry.path) && children.has(entry.path)) {
      stack.push({ parent: entry.path, depth: shown ? frame.depth + 1 : frame.depth, index: 0 });
    }
  }
  return lines;
}

function nearest(path: string, known: ReadonlySet<string>): string {
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
    const above = path.slice(0, cut);
    if (known.has(above)) return above;
    if (/(^|\/)generated_xmd$/.test(above)) continue;
  }
  return '';
}

function nextLines(story: Story, options: { paint: Paint; journal: string | undefined }): string[] {
  const { record, waits } = story;
  const open = waits.filter((wait) => wait.state === 'open' && wait.token !== undefined);
  const lines: string[] = [];
  for (const wait of open) {
    if (wait.request !== undefined) lines.push('', ...requestLines(wait));
    if (record.status === 'completed' || record.status === 'failed' || record.status === 'cancelled') continue;
    lines.push(`  ${options.paint.bold(answerCommand(wait, { journal: options.journal, several: open.length > 1 }))}`);
  }
  const continues = record.status === 'running' && record.claimed !== true;
  if (continues || (record.status === 'parked' && open.length === 0)) {
    lines.push(`  ${options.paint.bold(resumeCommand(record.run, { journal: options.journal }))}`);
  }
  return lines;
}

function requestLines(wait: WaitRecord): string[] {
  const text = typeof wait.request === 'string' ? wait.request : jsonText(wait.request, 2);
  return [
    `${labelOf(wait.path, '')} asks:`,
    ...printableLines(text)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

function resultLines(record: RunRecord): string[] {
  return record.status === 'completed' && record.result !== undefined ? [`  ${brief(record.result, 400)}`] : [];
}
