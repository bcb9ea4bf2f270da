import type { RunRecord } from '@telorun/sdk/journal';
import { resumeCommand } from './next-command.ts';
import { isOpen, openWaitLines } from './open-waits.ts';
import type { Paint } from './paint.ts';
import { printable } from './printable.ts';
import { instant, reasonOf } from './reason.ts';
import { resultSummary } from './summary.ts';
import { notFoundError } from './usage.ts';
import { prunedTree, treeOf, type NodeState, type TreeNode, type TreeSource } from './tree.ts';

export interface Story extends Omit<TreeSource, 'status'> {
  readonly record: RunRecord;
}

/** Which steps are told; all of them when neither is stated. */
interface StoryFilter {
  readonly failed: boolean;
  /** Step path whose subtree is told. */
  readonly path: string | undefined;
}

interface StoryOptions {
  readonly paint: Paint;
  readonly journal: string | undefined;
  /** The manifest as it is named from here; its record names it from the journal's folder. */
  readonly manifest?: string;
  readonly filter: StoryFilter;
  /** Epoch ms: which waits are over. */
  readonly now: number;
}

/** Tells a whole run from its journal: what it is, its steps as a tree, why it is where it is, what to type next. Pure. @throws InvokeError ERR_CLI_NOT_FOUND */
export function storyLines(story: Story, options: StoryOptions): string[] {
  const { bold, dim } = options.paint;
  const { record } = story;
  const lines = [`${bold(printable(record.run))}  ${record.status}`];
  if (record.program !== undefined) {
    const { workflow, manifest } = record.program;
    lines.push(dim(`  workflow ${printable(workflow)} of ${printable(options.manifest ?? manifest)}`));
  }
  if (record.createdAt !== undefined) {
    const updated = record.updatedAt === undefined ? '' : `, last written ${instant(record.updatedAt)}`;
    lines.push(dim(`  started ${instant(record.createdAt)}${updated}`));
  }
  lines.push(
    ...treeLines(selected(story, options.filter), options.paint),
    '',
    reasonOf(record, story.waits, options.now),
  );
  lines.push(...nextLines(story, options), ...resultLines(record));
  return lines;
}

function selected(story: Story, filter: StoryFilter): readonly TreeNode[] {
  const roots = treeOf({ ...story, status: story.record.status });
  const { path, failed } = filter;
  if (path === undefined && !failed) return roots;
  const isBelow = (node: TreeNode): boolean =>
    path === undefined || node.path === path || node.path.startsWith(`${path.replace(/\/$/, '')}/`);
  const told = prunedTree(roots, isBelow);
  if (told.length === 0 && path !== undefined) {
    const paths = roots.map((node) => printable(node.path)).join(', ');
    const hint = paths === '' ? 'The run has no step on record yet.' : `Name one of these, or what is below: ${paths}.`;
    throw notFoundError(`Cannot find step "${printable(path)}" in run "${printable(story.record.run)}"`, hint);
  }
  return failed ? prunedTree(roots, (node) => node.state === 'failed' && isBelow(node)) : told;
}

function marksOf({ green, dim, yellow, red, cyan }: Paint): Readonly<Record<NodeState, string>> {
  return {
    done: green('✓'),
    begun: yellow('…'),
    waiting: yellow('⏸'),
    failed: red('✗'),
    skipped: dim('–'),
    group: cyan('▸'),
    note: dim('·'),
  };
}

function treeLines(roots: readonly TreeNode[], paint: Paint): string[] {
  const marks = marksOf(paint);
  const lines: string[] = [];
  const stack = roots.toReversed().map((node) => ({ node, depth: 1 }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, depth } = next;
    const unfinished = node.detail === '' && node.state === 'begun' ? 'begun, no record yet' : node.detail;
    const detail = unfinished === '' ? '' : `  ${paint.dim(unfinished)}`;
    lines.push(`${'  '.repeat(depth)}${marks[node.state]} ${node.label}${detail}`);
    for (const child of node.children.toReversed()) stack.push({ node: child, depth: depth + 1 });
  }
  return lines;
}

function nextLines(story: Story, options: StoryOptions): string[] {
  const { record, waits } = story;
  if (record.status === 'completed' || record.status === 'failed' || record.status === 'cancelled') return [];
  const { paint, journal } = options;
  const open = waits.filter(isOpen);
  const lines = [...openWaitLines(open, { paint, journal, several: open.length > 1 })];
  const continues = record.status === 'running' ? record.claimed !== true : open.length === 0;
  if (continues) lines.push(`  ${paint.bold(resumeCommand(record.run, { journal }))}`);
  return lines;
}

function resultLines(record: RunRecord): string[] {
  if (record.status !== 'completed') return [];
  const summary = resultSummary(record.result);
  return summary === '' ? [] : [`  ${summary}`];
}
