import type { Fragment } from '../fragment/fragment.ts';
import { readFragment } from '../fragment/parse.ts';
import type { Block } from './blocks.ts';
import { blocksOf } from './blocks.ts';
import type { Extraction, ExtractionLimits, Unclear } from './extraction.ts';
import { holdsElement, linesOf, openerOf } from './lines.ts';
import { withoutThinking, withoutWrapper } from './wrappings.ts';

const BLANK_LINES = /^(?:[ \t]*\r?\n)+/;

/**
 * The fragment in what a model answered: exactly the characters between the ends that the rules find.
 *
 * Pure. Linear but for the places where an outer fence may end, of which there are at most 200. Never repairs: what a
 * fragment lacks is for preflight to refuse, and what could be meant in two ways is no fragment.
 *
 * @see kernel-specs/plan.md PL-20 to PL-29
 */
export function extractFragment(answer: string, limits: ExtractionLimits): Extraction {
  const spoken = withoutThinking(answer);
  if (spoken === undefined) {
    return unclear('thinking');
  }
  const inner = withoutWrapper(spoken);
  if (!inner.ok) {
    return inner;
  }
  const text = inner.text.replace(BLANK_LINES, '').trimEnd();
  return text === '' ? unclear('empty') : fromAnswer(text, limits);
}

/** The fragment of an answer without thinking and wrapper. */
function fromAnswer(text: string, limits: ExtractionLimits): Extraction {
  const lines = linesOf(text);
  const first = lines.find((line) => openerOf(line) !== undefined || holdsElement(line.text));
  if (first !== undefined && openerOf(first) === undefined) {
    return bare(text, limits);
  }
  const found = blocksOf(text, lines, limits);
  if (!found.ok) {
    return found;
  }
  const { blocks, elementOutside } = found;
  const named = blocks.filter(({ word }) => word === 'xmd');
  const [only, ...others] = named.length > 0 ? named : blocks;
  if (only === undefined) {
    return elementOutside ? bare(text, limits) : unclear('no-element');
  }
  return others.length > 0 || elementOutside ? unclear('several') : bodyOf(only);
}

function bodyOf({ body }: Block): Extraction {
  return body === undefined ? unclear('indentation') : { ok: true, text: body };
}

/** An answer whose first element stands outside of any fence is the fragment, prose and all. */
function bare(text: string, limits: ExtractionLimits): Extraction {
  const read = readFragment(text, limits);
  return read.ok && hasNamedFence(read.value) ? unclear('several') : { ok: true, text };
}

/** A fence marked `xmd` beside elements: which of the two is meant is not for us to say. */
function hasNamedFence({ nodes, text }: Fragment): boolean {
  return nodes.some((node) => {
    if (node.kind !== 'fence') {
      return false;
    }
    const [line] = linesOf(text.slice(node.start, node.end));
    return line !== undefined && openerOf(line)?.word === 'xmd';
  });
}

function unclear(reason: Unclear): Extraction {
  return { ok: false, reason };
}
