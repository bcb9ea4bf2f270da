import type { FragmentNode, Prop } from '../../controllers/xmd/fragment/fragment.ts';
import { readFragment } from '../../controllers/xmd/fragment/parse.ts';
import { placeAt } from '../../controllers/xmd/fragment/place.ts';
import { LIMIT_CEILINGS } from '../../controllers/xmd/vocabulary/limits.ts';
import type { NaiveNode } from './naive-reader.ts';
import { readNaively } from './naive-reader.ts';

/** Longer texts are too much for a reader that searches again and again. */
const LENGTH_MAX = 4_096;
/** Frontmatter, NUL, lone surrogates and limits are not the naive reader's job. */
const NOT_ITS_JOB = /^\uFEFF?---|\0|\p{Surrogate}/u;

/** What the reader and the naive one say about a text where they do not agree; undefined where they do. Pure. */
export function disagreement(text: string): { readonly read: unknown; readonly naive: unknown } | undefined {
  if (text.length > LENGTH_MAX || NOT_ITS_JOB.test(text)) {
    return undefined;
  }
  const verdict = readFragment(text, LIMIT_CEILINGS);
  if (!verdict.ok && verdict.refusal.class === 'limit') {
    return undefined;
  }
  const naive = readNaively(text);
  if ('offset' in naive) {
    const { line, column } = placeAt(text, naive.offset);
    const same = !verdict.ok && verdict.refusal.line === line && verdict.refusal.column === column;
    return same ? undefined : { read: verdict, naive: { line, column } };
  }
  const read = verdict.ok ? verdict.value.nodes.map((node) => shape(node, text)) : undefined;
  return read !== undefined && sameNodes(read, naive) ? undefined : { read: read ?? verdict, naive };
}

function sameNodes(read: readonly NaiveNode[], naive: readonly NaiveNode[]): boolean {
  return read.length === naive.length && read.every((node, index) => isSame(node, naive[index]));
}

function isSame(read: NaiveNode, naive: NaiveNode | undefined): boolean {
  if (naive === undefined || read.length !== naive.length || read[0] !== naive[0] || read[1] !== naive[1]) {
    return false;
  }
  if (read.length === 2 || naive.length === 2) {
    return true;
  }
  const [, , props, children] = read;
  const [, , naiveProps, naiveChildren] = naive;
  const sameProps = props.length === naiveProps.length && props.every((prop, at) => isSameProp(prop, naiveProps[at]));
  return sameProps && sameNodes(children, naiveChildren);
}

/** Strict JSON leaves out what would not keep its meaning; for the naive reader it is JSON all the same. */
function isSameProp(read: string, naive = ''): boolean {
  const [name = ''] = read.split(': ', 1);
  return read === naive || (read === `${name}: expression` && naive.startsWith(`${name}: json `));
}

function shape(node: FragmentNode, text: string): NaiveNode {
  if (node.kind !== 'element') {
    return [node.kind, text.slice(node.start, node.end)];
  }
  const props = [...node.props].map(([name, prop]) => `${name}: ${propShape(prop)}`);
  return [node.name, node.form, props, node.children.map((child) => shape(child, text))];
}

function propShape(prop: Prop): string {
  if (prop.kind === 'string') {
    return `string ${prop.value}`;
  }
  return prop.kind === 'json' ? `json ${JSON.stringify(prop.value)}` : prop.kind;
}
