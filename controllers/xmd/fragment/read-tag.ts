import type { Form, Prop } from './fragment.ts';
import type { PlaceCursor } from './place.ts';
import { readPropValue } from './read-prop.ts';

/** An opening or self-closing tag. */
export interface Tag {
  readonly name: string;
  readonly form: Form;
  readonly props: ReadonlyMap<string, Prop>;
  readonly end: number;
}

const NAME = /[A-Z][A-Za-z0-9._]*/y;
const PROP_NAME = /[A-Za-z0-9_-]+/y;
const SPACE = /[ \t\r\n]*/y;
const BARE: Prop = { kind: 'bare', value: true };
const NO_PROPS: ReadonlyMap<string, Prop> = new Map();

/** Reads the tag whose `<` is at `at`; answers undefined when it is not one, exactly. Pure. @see F-10 to F-25 */
export function readTag(text: string, at: number, places: PlaceCursor): Tag | undefined {
  const nameEnd = match(NAME, text, at + 1);
  const name = text.slice(at + 1, nameEnd);
  let props: Map<string, Prop> | undefined;
  let cursor = match(SPACE, text, nameEnd);
  for (;;) {
    if (text[cursor] === '>') {
      return { name, form: 'paired', props: props ?? NO_PROPS, end: cursor + 1 };
    }
    if (text[cursor] === '/') {
      const closed = text[cursor + 1] === '>';
      return closed ? { name, form: 'self-closing', props: props ?? NO_PROPS, end: cursor + 2 } : undefined;
    }
    const propEnd = match(PROP_NAME, text, cursor);
    // The first prop is apart from the name, so that `<File-x` is no File.
    if (propEnd === cursor || cursor === nameEnd) {
      return undefined;
    }
    const propName = text.slice(cursor, propEnd);
    const read = readProp(text, propEnd, places);
    props ??= new Map();
    if (read === undefined || props.has(propName)) {
      return undefined;
    }
    props.set(propName, read.prop);
    cursor = match(SPACE, text, read.end);
  }
}

function readProp(text: string, nameEnd: number, places: PlaceCursor): { prop: Prop; end: number } | undefined {
  const equals = match(SPACE, text, nameEnd);
  if (text[equals] === '=') {
    return readPropValue(text, match(SPACE, text, equals + 1), places);
  }
  return { prop: BARE, end: nameEnd };
}

/** Offset behind `</Name>` when exactly that stands at `at`, else undefined. Pure. */
export function closeTagEnd(text: string, at: number, name: string): number | undefined {
  const end = at + name.length + 3;
  return text.startsWith(name, at + 2) && text[end - 1] === '>' ? end : undefined;
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
