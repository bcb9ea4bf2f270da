import type { Limits } from '../vocabulary/limits.ts';
import { fitsBytes, unreadableCharacter } from './characters.ts';
import type { Fragment, Verdict } from './fragment.ts';
import { frontmatterOffset } from './frontmatter.ts';
import { placeAt } from './place.ts';
import { Reader } from './reader.ts';
import { refuse } from './refusal.ts';

/**
 * Reads fragment text into nodes, or says why it cannot be read: class `construct` or `limit`.
 *
 * Pure. Linear in the text, never recursive, and the text limit is checked before anything else.
 *
 * @returns The fragment, offsets in UTF-16 units; or the first refusal met from left to right.
 * @see kernel-specs/fragment.md F-01 to F-37
 */
export function readFragment(
  text: string,
  limits: Pick<Limits, 'textBytes' | 'elements' | 'depth'>,
): Verdict<Fragment> {
  if (!fitsBytes(text, limits.textBytes)) {
    return refuse('limit', { line: 1, column: 1 });
  }
  const frontmatter = frontmatterOffset(text);
  if (frontmatter !== undefined) {
    return refuse('construct', placeAt(text, frontmatter));
  }
  const unreadable = unreadableCharacter(text);
  const reader = new Reader(text, limits);
  const problem = reader.read();
  if (unreadable !== undefined && (problem === undefined || unreadable < problem.met)) {
    return refuse('construct', placeAt(text, unreadable));
  }
  if (problem !== undefined) {
    return { ok: false, refusal: problem.refusal };
  }
  return { ok: true, value: { text, nodes: reader.nodes, elementCount: reader.elementCount } };
}
