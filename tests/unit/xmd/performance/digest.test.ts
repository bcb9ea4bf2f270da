import { describe, expect, it } from 'vitest';
import { bytesOf, digestOf } from '../../../../controllers/xmd/performance/digest.ts';

describe('digestOf', () => {
  it('A-21 is the same for members in any order, and another for any other value', () => {
    const sha256 = digestOf({ a: 1, b: [true, null] });
    expect(digestOf({ b: [true, null], a: 1 })).toBe(sha256);
    expect(sha256).toMatch(/^[\w-]{43}$/);
    const others = [
      { a: 1 },
      { a: 1, b: [null, true] },
      { a: '1', b: [true, null] },
      1,
      '1',
      null,
      1n,
      { $bigint: '1' },
    ];
    expect(new Set([sha256, ...others.map((value) => digestOf(value))]).size).toBe(others.length + 1);
  });

  it('A-21 counts the UTF-8 bytes of the JSON', () => {
    expect(bytesOf('ä')).toBe(4);
  });
});
