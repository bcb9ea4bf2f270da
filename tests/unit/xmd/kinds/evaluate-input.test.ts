import { describe, expect, it } from 'vitest';
import { readRequest } from '../../../../controllers/xmd/evaluate-input.ts';
import type { RequestCeiling } from '../../../../controllers/xmd/evaluate-input.ts';

const ORDINARY: RequestCeiling = { grants: ['read', 'write'], host: 'ordinary' };
const refused = expect.objectContaining({ code: 'ERR_XMD_INPUT' });

describe('readRequest', () => {
  it('EV-10 takes the one text there is, from the resource or the step, also an empty one', () => {
    expect(readRequest({ text: '' }, {}, ORDINARY).text).toBe('');
    expect(readRequest(undefined, { text: 'own' }, ORDINARY).text).toBe('own');
    expect(readRequest({ text: undefined }, { text: 'own' }, ORDINARY).text).toBe('own');
    expect(() => readRequest({ text: '' }, { text: '' }, ORDINARY)).toThrow(refused);
    expect(() => readRequest({}, {}, ORDINARY)).toThrow(refused);
  });

  it.each([
    [undefined, undefined, ['read']],
    [['write', 'read'], undefined, ['read', 'write']],
    [['read', 'write'], ['write'], ['write']],
    [['write'], undefined, ['write']],
  ])('EV-11 allow %j narrowed by %j is %j', (own, given, allow) => {
    expect(readRequest({ text: 'a', allow: given }, { allow: own }, ORDINARY).allow).toEqual(allow);
  });

  it.each([
    [undefined, ['write']],
    [['read'], ['read', 'write']],
    [['read', 'write'], ['read', 'write'], ['read']],
    [['write'], undefined, ['read']],
  ])('EV-11 allow %j narrowed by %j under grants %j is too wide', (own, given, grants = ['read', 'write']) => {
    const ceiling: RequestCeiling = {
      host: 'ordinary',
      grants: grants.map((grant) => (grant === 'read' ? 'read' : 'write')),
    };
    expect(() => readRequest({ text: 'a', allow: given }, { allow: own }, ceiling)).toThrow(refused);
  });

  it('EV-13 source is text in a workflow profile only, and not beside a text', () => {
    const workflow: RequestCeiling = { ...ORDINARY, host: 'workflow' };
    expect(readRequest({ source: 's' }, {}, workflow)).toEqual(readRequest({ text: 's' }, {}, workflow));
    expect(() => readRequest({ source: 's' }, {}, ORDINARY)).toThrow(refused);
    expect(() => readRequest({ source: 's' }, { text: 't' }, workflow)).toThrow(refused);
    expect(() => readRequest({ program: 's' }, {}, workflow)).toThrow(refused);
  });

  it('EV-12 says nothing of what was stated', () => {
    const error = (() => {
      try {
        return readRequest({ text: 'a', canary: 'canary' }, {}, ORDINARY);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
    expect(error).toMatchObject({ data: { reason: 'unknown-input' } });
  });
});
