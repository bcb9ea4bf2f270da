import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../../controllers/xmd/admission/admission.ts';
import { compareRecord } from '../../../../controllers/xmd/admission/compare.ts';
import { compareLegacyRecord, isLegacyRecord } from '../../../../controllers/xmd/admission/legacy-record.ts';
import { namedBy } from '../../../../controllers/xmd/admission/record.ts';
import { checkText } from '../../../../controllers/xmd/preflight/check.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';
import { policyOf } from '../../../../controllers/xmd/vocabulary/policy.ts';
import { readRequestLimits } from '../../../../controllers/xmd/vocabulary/request-limits.ts';
import { buildTable } from '../../../../controllers/xmd/vocabulary/table.ts';

const TEXT = '<File path="a" />';
const REQUEST = { url: 'https://a.example/', method: 'GET', headers: {} };
const FILE = { name: 'File', identity: '@executablemd/core#File:read', forms: ['self-closing'] };
const FETCH = { name: 'Fetch', identity: '@executablemd/core#Fetch', forms: ['self-closing'] };

function admissionOf(requests: readonly unknown[] = []): Admission {
  const table = buildTable({ grants: ['read', 'write'], allow: ['read'], requests: readRequestLimits(requests) });
  return {
    text: TEXT,
    allow: table.allow,
    entries: table.entries,
    retainedRoots: ['r'],
    policy: policyOf({ table, limits: LIMIT_DEFAULTS, root: '.' }),
    check: () => checkText(TEXT, table, LIMIT_DEFAULTS),
  };
}

function legacy(policy: Record<string, unknown> = {}, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    decision: 'admitted',
    source: TEXT,
    named: [{ name: 'File', identity: FILE.identity, form: 'self-closing' }],
    policy: { allow: ['read'], roots: ['r'], selectedRoot: 'r', allowed: [FILE], requests: [], ...policy },
    ...changes,
  };
}

/** What comparing says: `same`, or its code with the member or part that it names. */
function said(record: Record<string, unknown>, admission = admissionOf()): readonly unknown[] {
  try {
    return ['same', compareLegacyRecord(record, admission, 'p').effects.length];
  } catch (error) {
    const { code, data } = Object(error);
    return [code, data.changed ?? data.member ?? data.class];
  }
}

describe('a version-1 record, compared', () => {
  it('A-40 is one without version and reader', () => {
    expect([{}, legacy()].map((value) => isLegacyRecord(value))).toEqual([true, true]);
    expect([{ version: 2 }, { reader: 1 }, [], null, 'x'].some((value) => isLegacyRecord(value))).toBe(false);
  });

  it.each([
    ['as it is', {}, [], ['same', 1]],
    ['with a request', { requests: [REQUEST], allowed: [FILE, FETCH] }, [REQUEST], ['same', 1]],
    [
      'with a request that has a time limit',
      { requests: [{ ...REQUEST, timeout: 5 }], allowed: [FILE, FETCH] },
      [{ ...REQUEST, timeout: 5 }],
      ['same', 1],
    ],
    ['with a prefix', { requests: [{ ...REQUEST, match: 'prefix' }] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a request of no URL', { requests: [{ ...REQUEST, url: 'x' }] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a request of no method', { requests: [{ url: REQUEST.url }] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a request twice', { requests: [REQUEST, REQUEST], allowed: [FILE, FETCH] }, [REQUEST], ['same', 1]],
    ['with another request', { requests: [REQUEST], allowed: [FILE] }, [], ['ERR_XMD_POLICY_CHANGED', 'requests']],
    ['with another allow', { allow: ['read', 'write'] }, [], ['ERR_XMD_POLICY_CHANGED', 'allow']],
    ['with an entry less', { allowed: [] }, [], ['ERR_XMD_POLICY_CHANGED', 'allowed']],
    ['with an entry more', { allowed: [FILE, FETCH] }, [], ['ERR_XMD_POLICY_CHANGED', 'allowed']],
    ['with another name', { allowed: [{ ...FILE, name: 'Other' }] }, [], ['ERR_XMD_POLICY_CHANGED', 'allowed']],
    ['with another identity', { allowed: [{ ...FILE, identity: 'x' }] }, [], ['ERR_XMD_POLICY_CHANGED', 'allowed']],
    [
      'with another identity behind one that stands',
      { requests: [REQUEST], allowed: [FILE, { ...FETCH, identity: 'x' }] },
      [REQUEST],
      ['ERR_XMD_POLICY_CHANGED', 'allowed'],
    ],
    ['with another form', { allowed: [{ ...FILE, forms: ['paired'] }] }, [], ['ERR_XMD_POLICY_CHANGED', 'allowed']],
    ['with no form', { allowed: [{ ...FILE, forms: [] }] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with an entry of more', { allowed: [{ ...FILE, x: 1 }] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a nameless entry', { allowed: [{ ...FILE, name: 1 }] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a number as identity', { allowed: [{ ...FILE, identity: 1 }] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with an empty root', { roots: ['r', ''] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a root that is no text', { roots: ['r', 1] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a root twice', { roots: ['r', 'r'] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a root that is not selected', { selectedRoot: 'x' }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a selected root that is no text', { selectedRoot: 1 }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with no allow', { allow: [] }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a member more', { x: 1 }, [], ['ERR_XMD_RECORD_UNREADABLE', 'policy']],
    ['with a root that nobody retained', { roots: ['r', 'q'] }, [], ['ERR_XMD_POLICY_CHANGED', 'root']],
  ])('A-41 %s', (_, policy, requests, expected) => {
    expect(said(legacy(policy), admissionOf(requests))).toEqual(expected);
  });

  it.each([
    [{ source: 'x' }, ['ERR_XMD_TEXT_CHANGED', undefined]],
    [{ source: 1 }, ['ERR_XMD_RECORD_UNREADABLE', 'its list of members']],
    [{ named: {} }, ['ERR_XMD_RECORD_UNREADABLE', 'its list of members']],
    [{ named: [{ name: 'File', identity: 1, form: 'paired' }] }, ['ERR_XMD_RECORD_UNREADABLE', 'its list of members']],
    [{ policy: [] }, ['ERR_XMD_RECORD_UNREADABLE', 'its list of members']],
    [{ decision: 'other' }, ['ERR_XMD_RECORD_UNREADABLE', 'its list of members']],
    [{ extra: 1 }, ['ERR_XMD_RECORD_UNREADABLE', 'its list of members']],
    [{ named: [] }, ['ERR_XMD_POLICY_CHANGED', 'elements']],
    [{ named: [{ name: 'File', identity: FILE.identity, form: 'paired' }] }, ['ERR_XMD_POLICY_CHANGED', 'elements']],
    [
      { named: [{ name: 'Dir', identity: FILE.identity, form: 'self-closing' }] },
      ['ERR_XMD_POLICY_CHANGED', 'elements'],
    ],
    [{ named: [{ name: 'File', identity: 'x', form: 'self-closing' }] }, ['ERR_XMD_POLICY_CHANGED', 'elements']],
  ])('A-41 with %j', (changes, expected) => {
    expect(said(legacy({}, changes))).toEqual(expected);
  });

  it('A-41 that refuses says so, at the first place of the text', () => {
    expect(() => compareLegacyRecord({ decision: 'refused', construct: 'block' }, admissionOf(), 'p')).toThrow(
      expect.objectContaining({
        code: 'ERR_XMD_REFUSED',
        data: expect.objectContaining({ class: 'block', line: 1, column: 1 }),
      }),
    );
    expect(said({ decision: 'refused', construct: 'x' })).toEqual(['ERR_XMD_RECORD_UNREADABLE', 'construct']);
    expect(said({ decision: 'refused', construct: 'block', x: 1 })).toEqual([
      'ERR_XMD_RECORD_UNREADABLE',
      'its list of members',
    ]);
  });
});

describe('a version-2 record, compared', () => {
  const record = { decision: 'admitted', occurrence: 0, text: TEXT, policy: admissionOf().policy, named: [0] } as const;

  it('A-30 answers the plan of a second walk', () => {
    expect(compareRecord(record, admissionOf(), 'p').effects).toHaveLength(1);
  });

  it('A-03 names each element by its place in the table, also the last', () => {
    const table = buildTable(BOTH);
    const verdict = checkText('<File.Delete path="a" /><File path="a" /><Dir path="d">x</Dir>', table, LIMIT_DEFAULTS);
    const named = verdict.ok ? namedBy(verdict.value, table.entries) : [];
    expect(named.map((index) => table.entries[index]?.name)).toEqual(['File.Delete', 'File', 'Dir']);
    expect(verdict.ok && namedBy(verdict.value, [])).toEqual([-1, -1, -1]);
  });

  it('A-03 an element less on record is another element', () => {
    expect(() => compareRecord({ ...record, named: [] }, admissionOf(), 'p')).toThrow(
      expect.objectContaining({ data: expect.objectContaining({ changed: 'elements' }) }),
    );
  });

  it('A-30 a text that is not admitted any more has other elements', () => {
    const refused = { ...admissionOf(), check: () => checkText('<Nope />', buildTable(BOTH), LIMIT_DEFAULTS) };
    expect(() => compareRecord(record, refused, 'p')).toThrow(
      expect.objectContaining({
        code: 'ERR_XMD_POLICY_CHANGED',
        data: expect.objectContaining({ changed: 'elements' }),
      }),
    );
  });

  it.each(Object.keys(record.policy))('A-30 names %s when it differs', (member) => {
    const changed = { ...record, policy: { ...record.policy, [member]: 'x' } };
    expect(() => compareRecord(changed, admissionOf(), 'p')).toThrow(
      expect.objectContaining({ code: 'ERR_XMD_POLICY_CHANGED', data: expect.objectContaining({ changed: member }) }),
    );
  });
});

const BOTH = { grants: ['read', 'write'], allow: ['read', 'write'] } as const;
