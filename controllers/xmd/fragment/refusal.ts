import type { Place, Refusal, RefusalClass, Verdict } from './fragment.ts';

const SENTENCES: Readonly<Record<RefusalClass, string>> = {
  block: 'The fragment holds a code block that asks to be executed',
  expression: 'The fragment holds a prop that is not a string, a bare name or strict JSON',
  interpolation: 'The fragment reads a binding in its text',
  binding: 'The fragment binds the result of an element',
  component: 'The fragment names an element that is not admitted',
  construct: 'The fragment holds a construct that cannot be read',
  form: 'The fragment writes a self-closing element that is admitted only with content',
  content: 'The fragment gives an element content that is not admitted',
  props: 'The fragment gives an element props that are not admitted',
  request: 'The fragment asks for something outside the stated limits of an element',
  limit: 'The fragment is larger than this profile allows',
};

/** The one fixed sentence of a refusal's class; it never holds a word of the fragment. Pure. @see F-60 */
export function refusalMessage(refusal: Pick<Refusal, 'class'>): string {
  return SENTENCES[refusal.class];
}

/** A verdict that refuses, at a place. Pure. */
export function refuse(refusalClass: RefusalClass, place: Place): Verdict<never> {
  return { ok: false, refusal: { class: refusalClass, line: place.line, column: place.column } };
}
