import { isAlias, isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Document, LineCounter, Node, Pair } from 'yaml';
import type { FieldPath, Position } from './model.ts';

/** Where things stand in one YAML document. */
export class Positions {
  readonly #file: string;
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;

  constructor(file: string, document: Document.Parsed, lines: LineCounter) {
    this.#file = file;
    this.#document = document;
    this.#lines = lines;
  }

  /** The value at `path`, or its nearest written ancestor. Pure. */
  value(path: FieldPath): Position {
    return this.#at(this.#find(path, false));
  }

  /** The key of the member at `path`, or where the value stands when it is a list item. Pure. */
  key(path: FieldPath): Position {
    return this.#at(this.#find(path, true));
  }

  of(node: Node): Position {
    return this.#at(node.range?.[0] ?? 0);
  }

  #at(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  #find(path: FieldPath, wantKey: boolean): number {
    let node: unknown = this.#document.contents;
    let offset = startOf(node) ?? this.#document.range[0];
    for (const [index, part] of path.entries()) {
      if (isAlias(node)) node = node.resolve(this.#document);
      if (isMap(node)) {
        const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(part));
        if (pair === undefined) return offset;
        offset = pairOffset(pair, wantKey && index === path.length - 1) ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        const item = node.items[Number(part)];
        if (item === undefined) return offset;
        node = isPair(item) ? item.value : item;
        offset = startOf(item) ?? offset;
      } else return offset;
    }
    return offset;
  }
}

/** A missing value (`key:`) stands where its key stands. */
function pairOffset(pair: Pair, wantKey: boolean): number | undefined {
  const key = startOf(pair.key);
  if (wantKey) return key;
  const value = pair.value;
  if (isScalar(value) && value.value === null && value.source === '') return key;
  return startOf(value) ?? key;
}

function startOf(node: unknown): number | undefined {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? Number(node.range[0])
    : undefined;
}
