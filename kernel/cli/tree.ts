import type { JournalEntry, RunStatus, WaitRecord } from '@telorun/sdk/journal';
import { branchOf, stepLabel, tell, type Told } from './describe-entry.ts';
import { judgeDrafts } from './drafts.ts';
import { elementOf, enclosingElements, isOutcome, keeperOf, pathsAbove, recordName } from './entry-path.ts';
import type { Outline } from './outline.ts';
import { printable } from './printable.ts';
import { awaited } from './reason.ts';
import { counted, member } from './summary.ts';

/** How far a step is: recorded, begun without a record, waiting, given up, passed over, or a parent of other steps only. */
export type NodeState = 'done' | 'begun' | 'waiting' | 'failed' | 'skipped' | 'group' | 'note';

export interface TreeNode {
  readonly path: string;
  label: string;
  detail: string;
  state: NodeState;
  readonly children: TreeNode[];
}

export interface TreeSource {
  readonly status: RunStatus;
  readonly entries: readonly JournalEntry[];
  readonly waits: readonly WaitRecord[];
  readonly outline: Outline;
}

/** Records that say that a step was begun, not merely passed. */
const BEGUN = /^(?:inputs|token|deadline|wakeAt|begun|before(?:\[\d+\])?|retry\[\d+\]|generated_xmd)$/;

/**
 * The steps of a run as a tree: parents before children, siblings in the order in which they began.
 *
 * Pure. A step without a record of its own appears as soon as something below it is recorded.
 */
export function treeOf(source: TreeSource): readonly TreeNode[] {
  return new Tree(source).roots;
}

class Tree {
  readonly roots: TreeNode[] = [];
  readonly #source: TreeSource;
  readonly #known: ReadonlySet<string>;
  readonly #nodes = new Map<string, TreeNode>();

  constructor(source: TreeSource) {
    this.#source = source;
    this.#known = knownSteps(source);
    for (const entry of source.entries) this.#add(entry);
    for (const wait of source.waits) this.#wait(wait);
    judgeDrafts(this.roots);
  }

  #add(entry: JournalEntry): void {
    const keeper = keeperOf(entry);
    if (keeper !== undefined) return this.#record(entry, keeper);
    const ancestor = this.#ancestorOf(entry.path);
    const told = tell(entry, { ancestor, inputs: this.#source.outline.get(entry.path) });
    if (told === undefined) return;
    if (entry.kind === 'step') Object.assign(this.#node(entry.path), told, { state: 'done' });
    else this.#note(entry.path, ancestor, told);
  }

  #record(entry: JournalEntry, keeper: string): void {
    const node = this.#node(keeper);
    if (node.state === 'group' && BEGUN.test(recordName(entry.path))) node.state = this.#unfinished();
    const branch = branchOf(entry);
    if (branch !== undefined) node.detail = branch;
    if (branch === 'skipped') node.state = 'skipped';
    const told = tell(entry, { ancestor: keeper });
    const effect = isOutcome(entry.path) ? member(entry.value, 'effect') : undefined;
    if (told !== undefined && typeof effect === 'string') {
      Object.assign(this.#node(effect), { state: 'failed', detail: told.detail });
    } else if (told !== undefined) this.#note(entry.path, keeper, told);
  }

  #wait(wait: WaitRecord): void {
    if (wait.state !== 'open' || isSettled(this.#source.status)) return;
    const node = this.#node(wait.path);
    node.state = 'waiting';
    node.detail = `waits ${awaited(wait)}  ${printable(wait.resource)}`;
  }

  #unfinished(): NodeState {
    return isSettled(this.#source.status) ? 'failed' : 'begun';
  }

  #node(path: string): TreeNode {
    const known = this.#nodes.get(path);
    if (known !== undefined) return known;
    const ancestor = this.#ancestorOf(path);
    const label = stepLabel(path, { ancestor, inputs: this.#source.outline.get(path) });
    const state = elementOf(path) === undefined ? 'group' : this.#unfinished();
    const node: TreeNode = { path, label, detail: '', state, children: [] };
    this.#nodes.set(path, node);
    this.#childrenOf(ancestor).push(node);
    return node;
  }

  #note(path: string, ancestor: string, { label, detail, failed }: Told): void {
    const state = failed === true ? 'failed' : 'note';
    this.#childrenOf(ancestor).push({ path, label, detail, state, children: [] });
  }

  #childrenOf(path: string): TreeNode[] {
    return path === '' ? this.roots : this.#node(path).children;
  }

  #ancestorOf(path: string): string {
    for (const above of pathsAbove(path)) if (this.#known.has(above)) return above;
    return '';
  }
}

/** Every path that is a step: recorded, or with something of its own on record, or waiting. */
function knownSteps({ entries, waits }: TreeSource): ReadonlySet<string> {
  const known = new Set<string>(waits.map(({ path }) => path));
  for (const entry of entries) {
    const { path, kind } = entry;
    const keeper = keeperOf(entry);
    if (keeper !== undefined) known.add(keeper);
    else if (kind === 'step') known.add(path);
    for (const outer of enclosingElements(path)) {
      // What encloses a known element is known already.
      if (known.has(outer)) break;
      known.add(outer);
    }
  }
  return known;
}

function isSettled(status: RunStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Keeps the nodes that `keeps` names, with the parents that lead to them. Pure; does not recurse. */
export function prunedTree(roots: readonly TreeNode[], keeps: (node: TreeNode) => boolean): readonly TreeNode[] {
  const order: { readonly node: TreeNode; readonly parent: TreeNode | undefined }[] = roots.map((node) => ({
    node,
    parent: undefined,
  }));
  for (let index = 0; index < order.length; index += 1) {
    const parent = order[index]?.node;
    for (const node of parent?.children ?? []) order.push({ node, parent });
  }
  const kept = new Set<TreeNode>();
  for (const { node, parent } of order.toReversed()) {
    if (kept.has(node) || keeps(node)) kept.add(node);
    if (kept.has(node) && parent !== undefined) kept.add(parent);
  }
  for (const node of kept) {
    const left = node.children.filter((child) => kept.has(child));
    if (left.length < node.children.length) {
      const hidden = counted(node.children.length - left.length, 'line');
      node.children.splice(0, node.children.length, ...left);
      node.detail = node.detail === '' ? `${hidden} not shown` : `${node.detail}  (${hidden} not shown)`;
    }
  }
  return roots.filter((node) => kept.has(node));
}
