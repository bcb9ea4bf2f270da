import type { ElementNode, FragmentNode, Place, Prop, Refusal, RefusalClass } from './fragment.ts';
import { placeAt, PlaceCursor } from './place.ts';
import { endOfRun, readFence } from './read-fence.ts';
import { SpanFinder } from './read-span.ts';
import { closeTagEnd, readTag } from './read-tag.ts';

/** Where reading cannot go on: at which offset it was met, and the refusal. */
export interface Problem {
  readonly met: number;
  readonly refusal: Refusal;
}

interface OpenElement {
  readonly name: string;
  readonly props: ReadonlyMap<string, Prop>;
  readonly children: FragmentNode[];
  readonly start: number;
  readonly contentStart: number;
  readonly place: Place;
  readonly fenced: boolean;
}

/** What a step answers when reading cannot go on; otherwise it is the offset behind what it used up. */
const STOPPED = -1;

const SPECIAL = /[<`]|\n[ \t]*~~~/g;
const TAG = /<\/?[A-Z]/;

/** Reads one text into nodes, once. An explicit stack of open elements; the first problem ends it. Pure. */
export class Reader {
  readonly nodes: FragmentNode[] = [];
  elementCount = 0;
  readonly #text: string;
  readonly #limits: { readonly elements: number; readonly depth: number };
  readonly #places: PlaceCursor;
  readonly #spans: SpanFinder;
  readonly #open: OpenElement[] = [];
  /** Where the children of the innermost open element go. */
  #children: FragmentNode[] = this.nodes;
  #textStart = 0;
  #problem: Problem | undefined;

  constructor(text: string, limits: { readonly elements: number; readonly depth: number }) {
    this.#text = text;
    this.#limits = limits;
    this.#places = new PlaceCursor(text);
    this.#spans = new SpanFinder(text);
  }

  /** The problem that ended the reading, or undefined when `nodes` holds the whole text. */
  read(): Problem | undefined {
    let at = this.#firstSpecial();
    while (at !== undefined) {
      const end = this.#readAt(at);
      if (end === STOPPED) {
        return this.#problem;
      }
      at = this.#nextSpecial(end);
    }
    const [unclosed] = this.#open;
    if (unclosed !== undefined) {
      return { met: this.#text.length, refusal: { class: 'construct', ...unclosed.place } };
    }
    this.#pushText(this.#text.length);
    return undefined;
  }

  #firstSpecial(): number | undefined {
    const first = /^[ \t]*(?=~~~)/.exec(this.#text);
    return first === null ? this.#nextSpecial(0) : first[0].length;
  }

  #nextSpecial(from: number): number | undefined {
    SPECIAL.lastIndex = from;
    if (!SPECIAL.test(this.#text)) {
      return undefined;
    }
    const last = SPECIAL.lastIndex - 1;
    return this.#text[last] === '~' ? last - 2 : last;
  }

  #readAt(at: number): number {
    const character = this.#text[at];
    if (character !== '<') {
      return this.#readCode(at);
    }
    const next = this.#text.charCodeAt(at + 1);
    if (isCapital(next)) {
      return this.#openElement(at);
    }
    if (next === SLASH && isCapital(this.#text.charCodeAt(at + 2))) {
      return this.#closeElement(at);
    }
    return this.#text.startsWith('!--', at + 1) ? this.#readComment(at) : at + 1;
  }

  #openElement(at: number): number {
    if (this.elementCount === this.#limits.elements || this.#open.length === this.#limits.depth) {
      return this.#stop('limit', at);
    }
    const place = this.#places.at(at);
    const tag = readTag(this.#text, at, this.#places);
    if (tag === undefined) {
      return this.#stop('construct', at, place);
    }
    this.elementCount += 1;
    this.#pushText(at);
    this.#textStart = tag.end;
    const { name, props, end } = tag;
    const children: FragmentNode[] = [];
    if (tag.form === 'self-closing') {
      const form = tag.form;
      this.#children.push({
        kind: 'element',
        name,
        form,
        props,
        children,
        start: at,
        end,
        contentStart: end,
        contentEnd: end,
        place,
      });
      return end;
    }
    this.#open.push({ name, props, children, start: at, contentStart: end, place, fenced: isFencedFile(name, props) });
    this.#children = children;
    return end;
  }

  #closeElement(at: number): number {
    const open = this.#open.at(-1);
    const end = open === undefined ? undefined : closeTagEnd(this.#text, at, open.name);
    if (open === undefined || end === undefined) {
      return this.#stop('construct', at);
    }
    this.#pushText(at);
    this.#open.pop();
    this.#children = this.#open.at(-1)?.children ?? this.nodes;
    this.#children.push(elementOf(open, at, end));
    this.#textStart = end;
    return end;
  }

  #readComment(at: number): number {
    const close = this.#text.indexOf('-->', at + 4);
    const end = close === -1 ? this.#text.length : close + 3;
    const tag = this.#text.slice(at, end).search(TAG);
    return tag === -1 ? end : this.#stop('construct', at + tag);
  }

  #readCode(at: number): number {
    const fence = readFence(this.#text, at, this.#places);
    if (fence === undefined) {
      return this.#readSpan(at);
    }
    const open = this.#open.at(-1);
    if (open !== undefined && !open.fenced && this.#text.slice(at, fence.end).includes(`</${open.name}>`)) {
      return this.#stop('construct', at, placeAt(this.#text, at));
    }
    // Elements behind a fence that nobody closed would silently not be performed.
    if (open === undefined && fence.closed !== true && TAG.test(this.#text.slice(at))) {
      return this.#stop('construct', at, placeAt(this.#text, at));
    }
    this.#pushText(at);
    this.#textStart = fence.end;
    const only = open?.fenced === true && !open.children.some((child) => child.kind !== 'text');
    this.#children.push(fence);
    return only && fence.end < this.#text.length ? this.#behindOnlyFence(fence.end) : fence.end;
  }

  /**
   * Behind the first fence of a `fenced` File nothing but its close tag may come. What comes instead is kept as
   * text up to that tag, because a fence that closed too early leaves the rest of the file unreadable as a fragment.
   */
  #behindOnlyFence(end: number): number {
    const close = this.#text.indexOf('</File>', end);
    return close === -1 ? end : close;
  }

  #readSpan(at: number): number {
    const runEnd = endOfRun(this.#text, at);
    const end = this.#spans.spanEnd(at, this.#places);
    if (end === undefined) {
      return runEnd;
    }
    this.#pushText(at);
    this.#textStart = end;
    this.#children.push({ kind: 'span', start: at, end, executable: false });
    return end;
  }

  #pushText(end: number): void {
    if (end > this.#textStart) {
      this.#children.push({ kind: 'text', start: this.#textStart, end });
    }
  }

  #stop(refusalClass: RefusalClass, at: number, place = this.#places.at(at)): number {
    this.#problem = { met: at, refusal: { class: refusalClass, ...place } };
    return STOPPED;
  }
}

const SLASH = 0x2f;

function isCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}

function isFencedFile(name: string, props: ReadonlyMap<string, Prop>): boolean {
  const fenced = props.get('fenced');
  return name === 'File' && (fenced?.kind === 'bare' || (fenced?.kind === 'json' && fenced.value === true));
}

function elementOf(open: OpenElement, contentEnd: number, end: number): ElementNode {
  const { name, props, children, start, contentStart, place } = open;
  return { kind: 'element', name, form: 'paired', props, children, start, end, contentStart, contentEnd, place };
}
