import type { ASTNode, Environment } from '@marcbachmann/cel-js';

/** Macros whose first argument names a variable that exists only inside the call. */
const BINDING_MACROS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const FORBIDDEN_KEYS = new Set(['__proto__', 'prototype', 'constructor']);

/**
 * The member chains an expression reads, each from a root variable: `steps.a.result` is `['steps', 'a', 'result']`.
 * Ends before the first computed or optional member. Pure.
 */
export function readsOf(ast: ASTNode, environment: Environment): (readonly string[])[] {
  const reads: (readonly string[])[] = [];
  visit(ast, new Set());
  return reads;

  function visit(node: ASTNode, bound: ReadonlySet<string>): void {
    const chain = chainOf(node);
    if (chain !== undefined) {
      const [root] = chain;
      if (root !== undefined && !bound.has(root) && !environment.hasVariable(root)) reads.push(chain);
      return;
    }
    if (node.op === 'call' && node.args[0] === 'has') {
      // What `has` asks about may be missing; only what stands to its left is read.
      for (const argument of node.args[1]) for (const child of childrenOf(argument)) visit(child, bound);
      return;
    }
    if (node.op === 'rcall' && BINDING_MACROS.has(node.args[0])) {
      const [, receiver, [variable, ...rest]] = node.args;
      visit(receiver, bound);
      const inner = new Set(bound);
      if (variable?.op === 'id') inner.add(variable.args);
      for (const child of rest) visit(child, inner);
      return;
    }
    for (const child of childrenOf(node)) visit(child, bound);
  }
}

/** `a.b["c"]` as names; undefined for anything that is not a plain chain from an identifier. Pure. */
export function chainOf(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return [node.args];
  if (node.op === '.') {
    const left = chainOf(node.args[0]);
    return left === undefined ? undefined : [...left, node.args[1]];
  }
  if (node.op === '[]') {
    const [left, index] = node.args;
    const chain = chainOf(left);
    return chain !== undefined && index.op === 'value' && typeof index.args === 'string'
      ? [...chain, index.args]
      : undefined;
  }
  return undefined;
}

/** What a node evaluates, in the order it is written. Pure. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  if (node.op === 'value' || node.op === 'id') return [];
  if (node.op === '.' || node.op === '.?') return [node.args[0]];
  if (node.op === 'call') return node.args[1];
  if (node.op === 'rcall') return [node.args[1], ...node.args[2]];
  if (node.op === 'map') return node.args.flat();
  return node.op === '!_' || node.op === '-_' ? [node.args] : node.args;
}

/** The first map literal with a key that would set a prototype, or undefined. Pure. */
export function forbiddenKey(node: ASTNode): { message: string; offset: number } | undefined {
  if (node.op === 'map') {
    for (const [key] of node.args) {
      if (key.op === 'value' && typeof key.args === 'string' && FORBIDDEN_KEYS.has(key.args)) {
        return { message: `A map cannot have the key ${key.args}`, offset: key.start };
      }
    }
  }
  for (const child of childrenOf(node)) {
    const found = forbiddenKey(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first node that is nested deeper than `limit`, or undefined. Does not recurse. Pure. */
export function tooDeep(root: ASTNode, limit: number): ASTNode | undefined {
  const open: [ASTNode, number][] = [[root, 1]];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const [node, depth] = top;
    if (depth > limit) return node;
    for (const child of childrenOf(node)) open.push([child, depth + 1]);
  }
  return undefined;
}

/**
 * Puts our guards where the engine has none: `matches` would hand its pattern to the host's backtracking matcher (and
 * a standard overload cannot be replaced), and a computed map key would be assigned plainly.
 * Effect: changes a tree nobody has evaluated yet.
 */
export function installGuards(node: ASTNode, environment: Environment): void {
  if (node.op === 'rcall' && node.args[0] === 'matches') node.args[0] = 'guardedMatches';
  for (const child of childrenOf(node)) installGuards(child, environment);
  if (node.op !== 'map') return;
  for (const entry of node.args) {
    if (entry[0].op === 'value') continue;
    const guard = environment.parse('guardedKey(key)').ast;
    if (guard.op !== 'call') throw new TypeError('A call was parsed as something else');
    guard.args[1][0] = entry[0];
    entry[0] = guard;
  }
}
