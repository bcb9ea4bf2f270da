import type { ASTNode } from '@marcbachmann/cel-js';
import { assertLength, assertSize, evaluating, spend, spendWhole, surfaceOf } from './budget.ts';
import { childrenOf } from './tree.ts';

type Evaluate = (evaluator: Evaluator, node: Handled, context: unknown) => unknown;

interface Evaluator {
  run(node: unknown, context: unknown): unknown;
}

/** What the engine keeps on a node beside what it declares: its handler, and the loop a macro stands for. */
interface Handled {
  readonly start: number;
  readonly meta: { readonly alternate?: { readonly op: string; readonly args: Loop } };
  readonly setMeta: (key: 'evaluate', evaluate: Evaluate) => unknown;
  readonly handle: (...values: unknown[]) => unknown;
  readonly args: readonly [string, ...unknown[]];
}

interface Loop {
  condition?: (accumulated: unknown) => boolean;
}

/** Operators whose cost lies in their operands; the others take one step whatever they are given. */
const WEIGHED = new Set(['==', '!=', 'in', '+', '<', '<=', '>', '>=']);
/** Searches of one text in another, which the host does in the product of their lengths at worst. */
const SEARCHES = new Set(['contains', 'indexOf', 'lastIndexOf', 'split', 'replace']);

/**
 * Makes every macro, call and weighed operator of a tree pay for what it does, before it does it.
 * Effect: changes a tree nobody has evaluated yet.
 */
export function installBudget(root: ASTNode): void {
  for (const node of nodesOf(root)) {
    const inside = handled(node);
    if (node.op === 'rcall' || node.op === 'call') {
      const loop = inside.meta.alternate;
      if (loop?.op === 'comprehension') chargeLoop(inside, loop.args, bodySize(node));
      else if (loop === undefined) inside.setMeta('evaluate', node.op === 'call' ? evaluateCall : evaluateMethod);
    } else if (WEIGHED.has(node.op)) inside.setMeta('evaluate', evaluateOperator(node.op));
  }
}

/** Nodes of a tree, each before its children; does not recurse. Pure. */
function* nodesOf(root: ASTNode): Generator<ASTNode> {
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    open.push(...childrenOf(node));
  }
}

/** A step for an iteration, and one for every eight nodes that it evaluates. */
function bodySize(node: ASTNode): number {
  if (node.op !== 'rcall') return 1;
  const [, , body] = node.args;
  let size = 0;
  for (const part of body) for (const _ of nodesOf(part)) size += 1;
  return 1 + (size >> 3);
}

function chargeLoop({ start }: Handled, loop: Loop, steps: number): void {
  const { condition } = loop;
  loop.condition = (accumulated) => {
    evaluating(start);
    spend(steps);
    return condition === undefined || condition(accumulated);
  };
}

const evaluateCall: Evaluate = (evaluator, node, context) => {
  const values = operands(node.args[1]).map((argument) => evaluator.run(argument, context));
  return called(node, values, () => node.handle(values, node, evaluator));
};

const evaluateMethod: Evaluate = (evaluator, node, context) => {
  const values = [node.args[1], ...operands(node.args[2])].map((argument) => evaluator.run(argument, context));
  return called(node, values, () => node.handle(values, evaluator, node));
};

function called(node: Handled, values: readonly unknown[], call: () => unknown): unknown {
  evaluating(node.start);
  spend(values.reduce<number>((sum, value) => sum + surfaceOf(value), 1));
  const [name] = node.args;
  if (SEARCHES.has(name)) weighSearch(values);
  if (name === 'join') weighJoin(values);
  const result = call();
  if (typeof result === 'string') assertSize(result.length);
  if (Array.isArray(result)) assertLength(result.length);
  return result;
}

function weighSearch([text, needle]: readonly unknown[]): void {
  if (typeof text === 'string' && typeof needle === 'string') spend((text.length * needle.length) / 256);
}

function weighJoin([list, separator]: readonly unknown[]): void {
  if (!Array.isArray(list)) return;
  let size = typeof separator === 'string' ? separator.length * list.length : 0;
  for (const item of list) size += typeof item === 'string' ? item.length : 24;
  assertSize(size);
}

function evaluateOperator(operator: string): Evaluate {
  return (evaluator, node, context) => {
    const left = evaluator.run(node.args[0], context);
    const right = evaluator.run(node.args[1], context);
    evaluating(node.start);
    weighOperands(operator, left, right);
    return node.handle(left, right, node, evaluator);
  };
}

function weighOperands(operator: string, left: unknown, right: unknown): void {
  if (typeof left === 'string' && typeof right === 'string') {
    spend(1 + (Math.min(left.length, right.length) >> 4));
    if (operator === '+') assertSize(left.length + right.length);
    return;
  }
  if (typeof right !== 'object' || right === null) return;
  if (operator === '+') {
    if (Array.isArray(left) && Array.isArray(right)) assertLength(left.length + right.length);
    if (left instanceof Uint8Array && right instanceof Uint8Array) assertSize(left.length + right.length);
    spend(1 + surfaceOf(left) + surfaceOf(right));
  } else if (operator === 'in') {
    if (typeof left === 'object' && left !== null) spendWhole(right);
    else spend(1 + (Array.isArray(right) ? right.length : 0));
  } else if (typeof left === 'object' && left !== null && left !== right) {
    spendWhole(left);
    spendWhole(right);
  }
}

function operands(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function handled(node: ASTNode): Handled {
  if (!isHandled(node)) throw new TypeError('A node of an expression is not shaped as expected');
  return node;
}

function isHandled(node: unknown): node is Handled {
  return typeof node === 'object' && node !== null && 'meta' in node && 'setMeta' in node;
}
