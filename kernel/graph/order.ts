/** What one node waits for: `hard` must come first, `soft` comes first where that makes no circle. */
export interface Needs<Node> {
  readonly hard: readonly Node[];
  readonly soft: readonly Node[];
}

export type Ordering<Node> = { readonly order: readonly Node[] } | { readonly circle: readonly Node[] };

interface Frame<Node> {
  readonly node: Node;
  readonly next: readonly { readonly node: Node; readonly hard: boolean }[];
  /** Whether the edge that led here is hard. */
  readonly hard: boolean;
  index: number;
}

type Dropped<Node> = Map<Node, Set<Node>>;

/**
 * Orders everything reachable from `roots` so that needs come first; answers the circle of hard needs when there is one.
 *
 * Pure, without recursion. A soft need that closes a circle is left out, and only that one.
 */
export function orderOf<Node>(roots: readonly Node[], needsOf: (node: Node) => Needs<Node>): Ordering<Node> {
  const dropped: Dropped<Node> = new Map();
  for (;;) {
    const found = settle(roots, needsOf, dropped);
    if ('order' in found) return found;
    const soft = found.circle.findLastIndex((frame) => !frame.hard);
    const [from, to] = [found.circle[soft - 1], found.circle[soft]];
    if (from === undefined || to === undefined) {
      const nodes = found.circle.map(({ node }) => node);
      return { circle: [...nodes, ...nodes.slice(0, 1)] };
    }
    dropped.set(from.node, (dropped.get(from.node) ?? new Set<Node>()).add(to.node));
  }
}

function settle<Node>(
  roots: readonly Node[],
  needsOf: (node: Node) => Needs<Node>,
  dropped: Dropped<Node>,
): { readonly order: readonly Node[] } | { readonly circle: readonly Frame<Node>[] } {
  const state = new Map<Node, 'open' | 'done'>();
  const order: Node[] = [];
  const stack: Frame<Node>[] = [];
  const enter = (node: Node, hard: boolean): void => {
    state.set(node, 'open');
    const needs = needsOf(node);
    const soft = needs.soft.filter((need) => dropped.get(node)?.has(need) !== true);
    const next = [
      ...needs.hard.map((need) => ({ node: need, hard: true })),
      ...soft.map((need) => ({ node: need, hard: false })),
    ];
    stack.push({ node, next, hard, index: 0 });
  };
  for (const root of roots) {
    if (!state.has(root)) enter(root, true);
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const step = frame.next[frame.index++];
      if (step === undefined) {
        state.set(frame.node, 'done');
        order.push(frame.node);
        stack.pop();
        continue;
      }
      const seen = state.get(step.node);
      if (seen === undefined) enter(step.node, step.hard);
      else if (seen === 'open' && step.hard)
        return { circle: stack.slice(stack.findIndex(({ node }) => node === step.node)) };
    }
  }
  return { order };
}
