import { expect, it } from 'vitest';
import type { RefusalClass } from '../../../../controllers/xmd/fragment/fragment.ts';
import { placeAt, PlaceCursor } from '../../../../controllers/xmd/fragment/place.ts';
import { refusalMessage, refuse } from '../../../../controllers/xmd/fragment/refusal.ts';

const CLASSES: readonly RefusalClass[] = [
  'block',
  'expression',
  'interpolation',
  'binding',
  'component',
  'construct',
  'form',
  'content',
  'props',
  'request',
  'limit',
];

it('F-60 has one fixed sentence for each class', () => {
  const sentences = CLASSES.map((refusalClass) => refusalMessage({ class: refusalClass }));

  expect(new Set(sentences).size).toBe(CLASSES.length);
  expect(sentences.every((sentence) => /^The fragment [a-z0-9 ,-]+$/i.test(sentence))).toBe(true);
});

it('F-60 carries a class and a place and nothing else', () => {
  expect(refuse('props', { line: 2, column: 3 })).toEqual({
    ok: false,
    refusal: { class: 'props', line: 2, column: 3 },
  });
});

it('F-61 counts lines by LF and columns by UTF-16 units, from 1', () => {
  const text = '🎉a\r\n\rb\n';

  expect(placeAt(text, 0)).toEqual({ line: 1, column: 1 });
  expect(placeAt(text, 2)).toEqual({ line: 1, column: 3 });
  expect(placeAt(text, 6)).toEqual({ line: 2, column: 2 });
  expect(placeAt(text, text.length)).toEqual({ line: 3, column: 1 });
});

it('F-61 answers ascending questions as it answers each alone', () => {
  const text = 'ab\n\ncd\n';
  const cursor = new PlaceCursor(text);

  const offsets = [0, 0, 2, 3, 4, 6, 7];
  expect(offsets.map((offset) => cursor.at(offset))).toEqual(offsets.map((offset) => placeAt(text, offset)));
});
