import { expect, it } from 'vitest';
import { LIMIT_CEILINGS, LIMIT_DEFAULTS, readLimits } from '../../../../controllers/xmd/vocabulary/limits.ts';

const NAMES = ['textBytes', 'elements', 'depth', 'fileBytes', 'responseBytes', 'resultBytes', 'effectMs'] as const;

it('E3 fills in the limits that a profile leaves out', () => {
  expect(readLimits(undefined)).toEqual(LIMIT_DEFAULTS);
  expect(readLimits({ depth: 3 })).toEqual({ ...LIMIT_DEFAULTS, depth: 3 });
  expect(Object.keys(LIMIT_DEFAULTS)).toEqual(NAMES);
});

it.each(NAMES)('E3 takes %s from 1 to its ceiling and nothing else', (name) => {
  const ceiling = LIMIT_CEILINGS[name];

  expect(readLimits({ [name]: 1 })[name]).toBe(1);
  expect(readLimits({ [name]: ceiling })[name]).toBe(ceiling);
  for (const value of [0, -1, ceiling + 1, 1.5, '1', null, NaN, Infinity]) {
    expect(() => readLimits({ [name]: value })).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
  }
});

it.each([[null], [[]], ['x'], [{ textbytes: 1 }], [{ constructor: 1 }]])('E3 refuses the limits %j', (value) => {
  expect(() => readLimits(value)).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
});
