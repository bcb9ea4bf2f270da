import type { Extraction } from './extraction.ts';
import { closes, holdsElement, linesOf, openerOf } from './lines.ts';
import type { FenceOpener, Line } from './lines.ts';

const THINKING = /^\s*<(think|thinking|thought|reasoning|analysis|scratchpad)>/i;
const THINKING_END = /^[ \t]*<\/(?:think|thinking|thought|reasoning)>[ \t\r]*$/i;
const WRAPPER = /^[ \t]*<(answer|fragment|output|plan|response|result|xmd)>/;

/**
 * What a model said, without the thinking that it shows ahead of it; undefined when it is not clear where that ends.
 *
 * Pure. Linear.
 *
 * @see kernel-specs/plan.md PL-21
 */
export function withoutThinking(answer: string): string | undefined {
  let text = answer;
  let opened = false;
  for (let open = THINKING.exec(text); open !== null; open = THINKING.exec(text)) {
    const close = new RegExp(`</${open[1] ?? ''}>`, 'i').exec(text);
    if (close === null) {
      return undefined;
    }
    text = text.slice(close.index + close[0].length);
    opened = true;
  }
  return opened ? text : behindUnopened(text);
}

/** Some endpoints leave the opening tag out, because it was part of the prompt. */
function behindUnopened(text: string): string | undefined {
  if (!text.includes('</')) {
    return text;
  }
  const ends: { readonly line: Line; readonly inFence: boolean }[] = [];
  let fence: FenceOpener | undefined;
  for (const line of linesOf(text)) {
    if (THINKING_END.test(line.text)) {
      ends.push({ line, inFence: fence !== undefined });
    }
    fence = fence === undefined ? openerOf(line) : closes(line, fence) ? undefined : fence;
  }
  const [end, ...others] = ends;
  if (end === undefined) {
    return text;
  }
  return others.length > 0 || end.inFence ? undefined : text.slice(end.line.end);
}

/**
 * What stands in a lower-case wrapper such as `<answer>`, when that is the first thing a model wrote besides prose; all
 * of the text without one.
 *
 * Pure. Linear.
 *
 * @see kernel-specs/plan.md PL-22
 */
export function withoutWrapper(text: string): Extraction {
  for (const line of linesOf(text)) {
    const open = WRAPPER.exec(line.text);
    if (open?.[1] !== undefined) {
      return insideWrapper(text, { tag: open[1], from: line.start + open[0].length });
    }
    if (openerOf(line) !== undefined || holdsElement(line.text)) {
      break;
    }
  }
  return { ok: true, text };
}

function insideWrapper(text: string, { tag, from }: { readonly tag: string; readonly from: number }): Extraction {
  const closeTag = `</${tag}>`;
  const close = text.lastIndexOf(closeTag);
  if (close < from) {
    return { ok: false, reason: 'wrapper' };
  }
  const inner = text.slice(from, close);
  const behind = linesOf(text.slice(close + closeTag.length));
  const more = behind.some((line) => openerOf(line) !== undefined || holdsElement(line.text));
  return more || inner.includes(`<${tag}>`) ? { ok: false, reason: 'several' } : { ok: true, text: inner };
}
