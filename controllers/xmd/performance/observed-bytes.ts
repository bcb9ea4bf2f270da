import { bytesOf } from './digest.ts';

/** Most bytes that the JSON of a text has for one of its UTF-16 units: `\u0000`. */
const UNIT_BYTES_MAX = 6;
const QUOTES_BYTES = 2;

/**
 * How many bytes of JSON the observations of an evaluation come to. The journal spells every text anyway; here one is
 * spelled only when a bound of it does not decide, and then once.
 *
 * @see kernel-specs/evaluate.md EV-37
 */
export class ObservedBytes {
  #counted = 0;
  /** Texts that only the bound counts so far. */
  #texts: string[] = [];
  #textsBytesMax = 0;

  /** Counts one observation in. */
  add(value: unknown): void {
    if (typeof value === 'string') {
      this.#texts.push(value);
      this.#textsBytesMax += UNIT_BYTES_MAX * value.length + QUOTES_BYTES;
    } else {
      this.#counted += bytesOf(value);
    }
  }

  /** Whether they come to more than `limitBytes`, exactly. */
  exceed(limitBytes: number): boolean {
    if (this.#counted + this.#textsBytesMax <= limitBytes) {
      return false;
    }
    for (const text of this.#texts) {
      this.#counted += bytesOf(text);
    }
    this.#texts = [];
    this.#textsBytesMax = 0;
    return this.#counted > limitBytes;
  }
}
