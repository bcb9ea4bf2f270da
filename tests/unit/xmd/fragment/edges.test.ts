import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitsBytes, unreadableCharacter } from '../../../../controllers/xmd/fragment/characters.ts';
import { readFragment } from '../../../../controllers/xmd/fragment/parse.ts';
import { LIMIT_CEILINGS } from '../../../../controllers/xmd/vocabulary/limits.ts';
import { disagreement } from '../../../property/readers-agree.ts';

const EDGES = [
  '\0',
  '\u0001',
  '\u007f',
  '\u0080',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
];

/** How many elements a text holds at its top, or where it stops. */
function read(text: string): unknown {
  const verdict = readFragment(text, LIMIT_CEILINGS);
  return verdict.ok ? verdict.value.elementCount : verdict.refusal;
}

describe('characters', () => {
  it('F-01 counts the bytes of every kind of character', () => {
    const text = fc.array(fc.constantFrom(...EDGES, 'a'), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (one) => {
        const bytes = Buffer.byteLength(one);
        expect([fitsBytes(one, bytes), fitsBytes(one, bytes - 1)]).toEqual([true, false]);
      }),
      { numRuns: 2000 },
    );
  });

  it('F-05 finds NUL and the lone halves of a pair, first and last ones too', () => {
    for (const edge of EDGES) expect(unreadableCharacter(`a${edge}b${edge}`)).toBe(edge === '\0' ? 1 : undefined);
    for (const half of ['\ud800', '\udbff', '\udc00', '\udfff']) {
      expect(unreadableCharacter(half)).toBe(0);
      expect(unreadableCharacter(`\u{10000}${half}`)).toBe(2);
      expect(unreadableCharacter(`a${half}b`)).toBe(1);
      expect(unreadableCharacter(`${half}\ud800`)).toBe(0);
    }
    expect(unreadableCharacter('\ud800\ud800\udc00')).toBe(0);
    expect(unreadableCharacter('\ud800\ue000')).toBe(0);
    expect(unreadableCharacter('\udc00\udc00')).toBe(0);
  });
});

describe('the edges of a tag', () => {
  it.each([
    ['a < b', 0],
    ['<[', 0],
    ['<@', 0],
    ['<Z/>', 1],
    ['<A/>', 1],
    ['<a/>', 0],
    ['</[', 0],
    ['</@', 0],
    ['<!---->x<A/>', 1],
    ['<!---><A/>-->', { class: 'construct', line: 1, column: 7 }],
    ['<!--><A/>', { class: 'construct', line: 1, column: 6 }],
    ['<A b=x"a"} />', { class: 'construct', line: 1, column: 1 }],
    ['<A b=}"a"} />', { class: 'construct', line: 1, column: 1 }],
    ['/> <A b="x', { class: 'construct', line: 1, column: 4 }],
    ['> <A b="x', { class: 'construct', line: 1, column: 3 }],
    ['/> <A b={"x', { class: 'construct', line: 1, column: 4 }],
    ['/> <A b={x', { class: 'construct', line: 1, column: 4 }],
    ['<File path="a" fenced>\n```\n```\nrest', { class: 'construct', line: 1, column: 1 }],
    ['<File path="a" fenced>\n```\n```\n<A/></File>', 1],
    ['<A/>\n</B>', { class: 'construct', line: 2, column: 1 }],
    ['<A><B></A>', { class: 'construct', line: 1, column: 7 }],
    ['<A><B>', { class: 'construct', line: 1, column: 1 }],
    ['<File path="a" fenced={true}>\n```\n</File>\n```\n</File>', 1],
    ['<File path="a" fenced={false}>\n```\n</File>\n```\n</File>', { class: 'construct', line: 2, column: 1 }],
    ['<File path="a" fenced="true">\n```\n</File>\n```\n</File>', { class: 'construct', line: 2, column: 1 }],
    ['<Dir path="a" fenced>\n```\n</Dir>\n```\n</Dir>', { class: 'construct', line: 2, column: 1 }],
  ])('F-10 %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
    expect(disagreement(text)).toBeUndefined();
  });
});
