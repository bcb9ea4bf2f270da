import type { OutputPart } from './outcome.ts';

/** Marks where the content of an element begins. */
export interface Opening {
  readonly part: number;
  readonly bytes: number;
  readonly outer: string;
}

/**
 * Output as it grows: its characters, and the same as parts that name an effect wherever its value is the text.
 *
 * Linear: an element that renders its content leaves the parts where they are.
 */
export class Rendering {
  readonly #parts: OutputPart[] = [];
  #content = '';
  #bytes = 0;
  #firstPart = 0;

  /** UTF-8 bytes of everything rendered so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What has been rendered since the innermost open element began. */
  get content(): string {
    return this.#content;
  }

  get parts(): readonly OutputPart[] {
    return this.#parts;
  }

  /** Adds characters as written. */
  write(text: string): void {
    if (text === '') {
      return;
    }
    this.#content += text;
    this.#bytes += Buffer.byteLength(text);
    const last = this.#parts.at(-1);
    if (this.#parts.length > this.#firstPart && typeof last === 'string') {
      this.#parts[this.#parts.length - 1] = last + text;
    } else {
      this.#parts.push(text);
    }
  }

  /** Begins the content of an element. */
  open(): Opening {
    const opening = { part: this.#firstPart, bytes: this.#bytes, outer: this.#content };
    this.#firstPart = this.#parts.length;
    this.#content = '';
    return opening;
  }

  /** Ends the content of an element and puts what the element renders in its place. */
  close(opening: Opening, rendered: { readonly text: string; readonly effect: number; readonly value: unknown }): void {
    const { text } = rendered;
    const content = this.#content;
    if (text !== content) {
      this.#parts.length = this.#firstPart;
      this.#bytes = opening.bytes + Buffer.byteLength(text);
      if (text !== '') {
        this.#parts.push(text === rendered.value ? rendered.effect : text);
      }
    }
    this.#firstPart = opening.part;
    this.#content = opening.outer + text;
  }
}
