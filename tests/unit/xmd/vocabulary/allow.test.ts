import { expect, it } from 'vitest';
import { narrowAllow, readAllow, readGrants } from '../../../../controllers/xmd/vocabulary/allow.ts';

const INPUT = expect.objectContaining({ code: 'ERR_XMD_INPUT' });

it('E2 reads allow in the order read, write, and read when it is left out', () => {
  expect(readAllow(undefined)).toEqual(['read']);
  expect(readAllow(['write', 'read'])).toEqual(['read', 'write']);
  expect(readAllow(['write'])).toEqual(['write']);
});

it.each([[[]], ['read'], [['exec']], [['read', 'read']], [1], [null], [{}], [['read', undefined]], [[['read']]]])(
  'E2 refuses allow %j',
  (value) => {
    expect(() => readAllow(value)).toThrow(INPUT);
  },
);

it('E2 narrows and never widens', () => {
  expect(narrowAllow(['read'], ['read', 'write'])).toEqual(['read']);
  expect(() => narrowAllow(['read', 'write'], ['read'])).toThrow(INPUT);
  expect(() => narrowAllow(['read'], ['write'])).toThrow(INPUT);
});

it('E18 wants the grants of a profile stated', () => {
  expect(readGrants(['write', 'read'])).toEqual(['read', 'write']);
  expect(() => readGrants(undefined)).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
  expect(() => readGrants([])).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
});
