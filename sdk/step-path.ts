/**
 * Joins segments to a step path: names by `/`, a number as `[n]` behind the segment before it.
 *
 * Pure. Nothing is escaped.
 *
 * @see kernel-specs/durable-run.md D-10
 */
export function stepPath(...segments: readonly (string | number)[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else path = path === '' ? segment : `${path}/${segment}`;
  }
  return path;
}

const BOOKKEEPING =
  /^_*(?:inputs|when|if|elseif|while|switch|catch|finally|token|deadline|wakeAt|value|retry|collection|condition|iterate)$/;
const RESERVED = /[%/[\]]/;
const EVERY_RESERVED = /[%/[\]]/g;

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A name as one segment: what has a meaning in paths is written as `%XX`. Pure, injective. */
export function pathSegment(name: string): string {
  return RESERVED.test(name) ? name.replace(EVERY_RESERVED, percent) : name;
}

/**
 * The segment of a step inside another step. One named like a record of its parent gets one more leading `_`.
 *
 * Pure, injective.
 *
 * @see kernel-specs/durable-run.md D-12
 */
export function nestedSegment(name: string): string {
  return BOOKKEEPING.test(name) ? `_${name}` : pathSegment(name);
}

/** The base path of turn or element `index` of a repetition at `base`: `<base>/iterate[<index>]`. Pure. */
export function repeatPath(base: string, index: number, word = 'iterate'): string {
  return stepPath(base, word, index);
}
