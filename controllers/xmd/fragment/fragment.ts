import type { JsonValue } from '../values/json.ts';

/** A position in a fragment: line and column from 1, lines end at LF, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export type Form = 'self-closing' | 'paired';

/** Why a fragment is refused; the whole vocabulary of refusal. */
export type RefusalClass =
  | 'block'
  | 'expression'
  | 'interpolation'
  | 'binding'
  | 'component'
  | 'construct'
  | 'form'
  | 'content'
  | 'props'
  | 'request'
  | 'limit';

/** A refusal as data. Never a word of the fragment. */
export interface Refusal extends Place {
  readonly class: RefusalClass;
}

export type Verdict<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** A prop as written: characters between quotes, a bare name, strict JSON in braces, or an expression (never admitted). */
export type Prop =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bare'; readonly value: true }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'expression'; readonly place: Place };

/** Characters that are nothing but themselves; `start`..`end` are UTF-16 offsets into the text. */
interface TextNode {
  readonly kind: 'text';
  readonly start: number;
  readonly end: number;
}

/** A fence with its content, or an inline code span: inert. `start` is where its opening run is. */
export interface CodeNode {
  readonly kind: 'fence' | 'span';
  readonly start: number;
  readonly end: number;
  /** Fences only: offsets of the lines inside, and the opener's exact indentation. */
  readonly bodyStart?: number;
  readonly bodyEnd?: number;
  readonly indent?: string;
  /** Fences only: whether a closing line was found before the end of the text. */
  readonly closed?: boolean;
  readonly executable: boolean;
}

export interface ElementNode {
  readonly kind: 'element';
  readonly name: string;
  readonly form: Form;
  readonly props: ReadonlyMap<string, Prop>;
  readonly children: readonly FragmentNode[];
  readonly start: number;
  readonly end: number;
  /** Offsets of the content between the tags; equal for a self-closing element. */
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly place: Place;
}

export type FragmentNode = TextNode | CodeNode | ElementNode;

/** A fragment that was read whole. */
export interface Fragment {
  readonly text: string;
  readonly nodes: readonly FragmentNode[];
  readonly elementCount: number;
}
