import type { Place } from './fragment.ts';

/** Line and column of one offset, counted from the start of the text. Pure. Linear: for refusals only. @see F-61 */
export function placeAt(text: string, offset: number): Place {
  return new PlaceCursor(text).at(offset);
}

/** Places for offsets asked in ascending order. Pure. Linear over all questions together. */
export class PlaceCursor {
  readonly #text: string;
  #line = 1;
  #lineStart = 0;
  #lineEnd: number;

  constructor(text: string) {
    this.#text = text;
    this.#lineEnd = this.#lineFeed(0);
  }

  /** The place of `offset`, which is never smaller than in an earlier question. */
  at(offset: number): Place {
    this.#advance(offset);
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }

  /** Offset of the line feed that ends the line of `offset`, or the length of the text. */
  lineEnd(offset: number): number {
    this.#advance(offset);
    return this.#lineEnd;
  }

  #advance(offset: number): void {
    while (this.#lineEnd < offset) {
      this.#line += 1;
      this.#lineStart = this.#lineEnd + 1;
      this.#lineEnd = this.#lineFeed(this.#lineStart);
    }
  }

  #lineFeed(from: number): number {
    const found = this.#text.indexOf('\n', from);
    return found === -1 ? this.#text.length : found;
  }
}
