import { printable } from './printable.ts';
import { counted, member, textSize } from './summary.ts';
import type { TreeNode } from './tree.ts';

const DRAFT = /\/draft\[\d+\]$/;

/** Finish reasons that say nothing but that the answer is whole. */
const WHOLE: ReadonlySet<unknown> = new Set(['stop', 'other']);

/** What a model answered, in few words: how much, at what cost, and whether all of it came; undefined for other steps. Pure. */
export function draftSummary(path: string, value: unknown): string | undefined {
  const text = member(value, 'text');
  const finishReason = member(value, 'finishReason');
  if (!DRAFT.test(path) || typeof text !== 'string' || typeof finishReason !== 'string') return undefined;
  const tokens = member(member(value, 'usage'), 'totalTokens');
  return [
    `answered ${textSize(text)}`,
    ...(typeof tokens === 'number' && tokens > 0 ? [counted(tokens, 'token')] : []),
    ...(WHOLE.has(finishReason) ? [] : [`ended by ${printable(finishReason)}`]),
  ].join(', ');
}

/**
 * Says of each draft what became of it: a later one replaced it, or the plan was made of it.
 *
 * Effect: adds to the details of nodes. Why one was not accepted is not on record: it is computed again from the answer.
 */
export function judgeDrafts(roots: readonly TreeNode[]): void {
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    open.push(...node.children);
    const drafts = node.children.filter(({ path, state }) => DRAFT.test(path) && state === 'done');
    for (const [index, draft] of drafts.entries()) {
      const next = drafts[index + 1];
      if (next !== undefined && placeOf(next) === placeOf(draft)) draft.detail += ', not accepted';
      else if (node.state === 'done') draft.detail += ', accepted';
    }
  }
}

/** Drafts of one plan have one place; another occurrence of the step has its own. */
function placeOf({ path }: TreeNode): string {
  return path.replace(DRAFT, '');
}
