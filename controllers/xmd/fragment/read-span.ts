import { endOfRun } from './read-fence.ts';
import type { PlaceCursor } from './place.ts';

const RUN = /`+/g;

/** Finds where code spans end. One per reading; linear over all questions together. @see F-34 */
export class SpanFinder {
  readonly #text: string;
  #lineEnd = -1;
  #starts = new Map<number, { readonly at: readonly number[]; next: number }>();

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Offset behind the code span that the run at `at` opens, or undefined when no equal run follows on its line.
   * Questions ascend.
   */
  spanEnd(at: number, places: PlaceCursor): number | undefined {
    const runEnd = endOfRun(this.#text, at);
    const lineEnd = places.lineEnd(at);
    const next = this.#text.indexOf('`', runEnd);
    if (next === -1 || next >= lineEnd) {
      return undefined;
    }
    const nextEnd = endOfRun(this.#text, next);
    const length = runEnd - at;
    return nextEnd - next === length ? nextEnd : this.#fartherEnd({ at, length, lineEnd });
  }

  /** For a run that the next one on its line does not close: the runs of the line are indexed once. */
  #fartherEnd(run: { readonly at: number; readonly length: number; readonly lineEnd: number }): number | undefined {
    if (run.lineEnd !== this.#lineEnd) {
      this.#indexLine(run.at, run.lineEnd);
    }
    const runs = this.#starts.get(run.length);
    if (runs === undefined) {
      return undefined;
    }
    // The runs of one length are passed once, however many questions there are.
    while ((runs.at[runs.next] ?? Infinity) <= run.at) {
      runs.next += 1;
    }
    const close = runs.at[runs.next];
    return close === undefined ? undefined : close + run.length;
  }

  #indexLine(from: number, lineEnd: number): void {
    this.#lineEnd = lineEnd;
    this.#starts = new Map();
    const lists = new Map<number, number[]>();
    RUN.lastIndex = from;
    const line = this.#text.slice(0, lineEnd);
    while (RUN.test(line)) {
      const end = RUN.lastIndex;
      const start = this.#runStart(end);
      const list = lists.get(end - start);
      if (list === undefined) {
        lists.set(end - start, [start]);
      } else {
        list.push(start);
      }
    }
    for (const [length, at] of lists) {
      this.#starts.set(length, { at, next: 0 });
    }
  }

  #runStart(end: number): number {
    let start = end;
    while (this.#text.charCodeAt(start - 1) === 0x60) {
      start -= 1;
    }
    return start;
  }
}
