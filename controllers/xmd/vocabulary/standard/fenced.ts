import type { CodeNode, ElementNode, Verdict } from '../../fragment/fragment.ts';
import { placeAt } from '../../fragment/place.ts';
import { refuse } from '../../fragment/refusal.ts';

/** Whether the content is one fenced block with nothing but white space around it. Pure. @see F-52 */
export function isOnlyFence(element: ElementNode, text: string): boolean {
  const split = splitAtFence(element);
  return split !== undefined && isBlank(text, split.before) && isBlank(text, split.after);
}

/**
 * The lines inside the one fenced block of the content, without the indentation of its opening line.
 *
 * Pure. Linear in the content. Anything else is class `content`: at the closing line of a block that closed too
 * early, otherwise at the element.
 *
 * @see F-53
 */
export function planFencedContent(element: ElementNode, text: string): Verdict<string> {
  const split = splitAtFence(element);
  if (split === undefined || !isBlank(text, split.before)) {
    return refuse('content', element.place);
  }
  if (!isBlank(text, split.after)) {
    return refuse('content', closingPlace(split.fence, text));
  }
  const body = text.slice(split.fence.bodyStart, split.fence.bodyEnd);
  const literal = withoutIndent(body, split.fence.indent ?? '');
  return literal === undefined ? refuse('content', element.place) : { ok: true, value: literal };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Split {
  readonly before: Range;
  readonly fence: CodeNode;
  readonly after: Range;
}

/** The content around its first fence, when only text comes before that. */
function splitAtFence(element: ElementNode): Split | undefined {
  const fence = element.children.find((child) => child.kind !== 'text');
  if (fence?.kind !== 'fence') {
    return undefined;
  }
  return {
    before: { start: element.contentStart, end: fence.start },
    fence,
    after: { start: fence.end, end: element.contentEnd },
  };
}

const NOT_BLANK = /[^ \t\r\n]/;

function isBlank(text: string, range: Range): boolean {
  return !NOT_BLANK.test(text.slice(range.start, range.end));
}

function closingPlace(fence: CodeNode, text: string): { line: number; column: number } {
  const lineStart = fence.bodyEnd ?? fence.start;
  const run = text.slice(lineStart, fence.end).search(/[`~]/);
  return placeAt(text, lineStart + Math.max(run, 0));
}

/** Each line without `indent`; undefined when a line that is not blank does not start with it. */
function withoutIndent(body: string, indent: string): string | undefined {
  if (indent === '') {
    return body;
  }
  const lines: string[] = [];
  for (let at = 0; at < body.length;) {
    const feed = body.indexOf('\n', at);
    const end = feed === -1 ? body.length : feed + 1;
    const line = body.slice(at, end);
    if (line.startsWith(indent)) {
      lines.push(line.slice(indent.length));
    } else if (NOT_BLANK.test(line)) {
      return undefined;
    } else {
      lines.push(line);
    }
    at = end;
  }
  return lines.join('');
}
