import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import type { Document, Node, Scalar, YAMLMap } from 'yaml';
import type { Diagnostic, Position } from './model.ts';
import type { Positions } from './positions.ts';
import { Expression, Reference } from './tagged.ts';

export interface CelCompiler {
  compileCel(source: string, position: Position): Expression;
  compileTemplate(source: string, position: Position): Expression;
}

/** What turning nodes into data needs beside the nodes. */
export interface Conversion {
  readonly text: string;
  readonly document: Document.Parsed;
  readonly positions: Positions;
  readonly cel: CelCompiler | undefined;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Reads the file an `!include-text` names. @throws Error saying why it cannot. */
  readonly includeText: (path: string) => string;
}

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** Aliases may repeat a value, not multiply it: what all aliases of a document stand for together. */
const MAX_NODES = 200_000;
const MAX_DEPTH = 200;

interface Walk {
  readonly conversion: Conversion;
  nodes: number;
  readonly open: Set<Node>;
}

/** Plain data of a node, with expressions and references in place of tagged scalars. Pure but for included files. */
export function convert(node: Node | null, conversion: Conversion): unknown {
  return visit(node, { conversion, nodes: 0, open: new Set() }, 0);
}

function visit(node: unknown, walk: Walk, depth: number): unknown {
  const { conversion } = walk;
  if (isAlias(node)) return alias(node.resolve(conversion.document), node, walk, depth);
  walk.nodes += 1;
  if (walk.nodes > MAX_NODES || depth > MAX_DEPTH) {
    if (walk.nodes !== Infinity)
      problem(walk, node, 'MANIFEST_PARSE_FAILED', 'The document is too large or too deep once aliases are followed');
    walk.nodes = Infinity;
    return null;
  }
  if (isMap(node)) return mapping(node, walk, depth);
  if (isSeq(node)) {
    refuseTag(node, walk);
    return node.items.map((item) => visit(item, walk, depth + 1));
  }
  return isScalar(node) ? scalar(node, walk) : null;
}

function alias(target: Node | undefined, node: Node, walk: Walk, depth: number): unknown {
  if (target === undefined || walk.open.has(target)) {
    problem(walk, node, 'MANIFEST_PARSE_FAILED', 'An alias stands inside what it names, or names nothing');
    return null;
  }
  walk.open.add(target);
  const value = visit(target, walk, depth + 1);
  walk.open.delete(target);
  return value;
}

function mapping(node: YAMLMap, walk: Walk, depth: number): unknown {
  refuseTag(node, walk);
  walk.open.add(node);
  const entries: [string, unknown][] = [];
  for (const pair of node.items) {
    const name: unknown = isScalar(pair.key) ? pair.key.value : undefined;
    if (typeof name !== 'string' && typeof name !== 'number' && typeof name !== 'boolean') {
      problem(walk, pair.key ?? node, 'MANIFEST_PARSE_FAILED', 'A key must be a plain word');
      continue;
    }
    const key = String(name);
    if (FORBIDDEN_KEYS.has(key)) problem(walk, pair.key, 'MANIFEST_PARSE_FAILED', `The key ${key} is reserved`);
    else if (key === '<<') problem(walk, pair.key, 'MANIFEST_PARSE_FAILED', 'Merge keys (<<) are not supported');
    else entries.push([key, visit(pair.value, walk, depth + 1)]);
  }
  walk.open.delete(node);
  return Object.fromEntries(entries);
}

function scalar(node: Scalar, walk: Walk): unknown {
  const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
  switch (node.tag) {
    case '!cel':
      return compiled(node, text, 'cel', walk);
    case '!ref':
      return reference(node, text, walk);
    case '!literal':
      return text;
    case '!include-text':
      return included(node, text, walk);
    case undefined:
    default:
      refuseTag(node, walk);
      return typeof node.value === 'string' && node.value.includes('${{')
        ? compiled(node, node.value, 'template', walk)
        : node.value;
  }
}

function compiled(node: Scalar, text: string, form: 'cel' | 'template', walk: Walk): unknown {
  const { cel, positions } = walk.conversion;
  if (cel === undefined) throw new TypeError('The expression compiler was not loaded');
  const position = positions.of(node);
  try {
    return form === 'cel' ? cel.compileCel(text, position) : cel.compileTemplate(text, position);
  } catch (error) {
    const offset = error instanceof Error && 'offset' in error && typeof error.offset === 'number' ? error.offset : 0;
    const message = error instanceof Error ? error.message : String(error);
    walk.conversion.report({
      severity: 'error',
      code: 'CEL_SYNTAX_ERROR',
      message: `Expression does not parse: ${message}`,
      position: { ...position, column: position.column + offsetInFile(node, text, offset, walk) },
    });
    return null;
  }
}

/** How far into the scalar's first line the fault is, when the scalar is written verbatim; else 0: its start. */
function offsetInFile(node: Scalar, text: string, offset: number, walk: Walk): number {
  const start = node.range?.[0] ?? 0;
  const quote = /["']/.test(walk.conversion.text.charAt(start)) ? 1 : 0;
  const written = walk.conversion.text.slice(start + quote, start + quote + text.length);
  return written === text && !text.slice(0, offset).includes('\n') ? quote + offset : 0;
}

function reference(node: Scalar, text: string, walk: Walk): unknown {
  const parts = text.trim().split('.');
  const [first = '', second] = parts;
  if (parts.length > 2 || parts.some((part) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(part))) {
    problem(walk, node, 'INVALID_REFERENCE_FORM', `'${text}' is no reference: write !ref name or !ref Alias.name`);
    return null;
  }
  const position = walk.conversion.positions.of(node);
  if (second === undefined) return new Reference(first, undefined, position);
  return new Reference(second, first === 'Self' ? undefined : first, position);
}

function included(node: Scalar, path: string, walk: Walk): unknown {
  try {
    return walk.conversion.includeText(path);
  } catch (error) {
    problem(walk, node, 'INCLUDE_FAILED', error instanceof Error ? error.message : String(error));
    return null;
  }
}

function refuseTag(node: Node, walk: Walk): void {
  if (node.tag === undefined || !/^!(?!!)/.test(node.tag)) return;
  const known = isScalar(node) ? '' : ' on a list or map';
  problem(
    walk,
    node,
    'UNKNOWN_TAG',
    `The tag ${node.tag} is not supported here${known}: the tags are !cel, !ref, !literal and !include-text`,
  );
}

function problem(walk: Walk, node: unknown, code: string, message: string): void {
  const { positions, report } = walk.conversion;
  const at = isNode(node) ? positions.of(node) : positions.value([]);
  report({ severity: 'error', code, message, position: at });
}
