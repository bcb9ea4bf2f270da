import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../../../controllers/xmd/admission/record.ts';
import { readRecord } from '../../../../controllers/xmd/admission/read-record.ts';
import { isMembers } from '../../../../controllers/xmd/admission/shape.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';

const IDENTITY = { kind: 'host', origin: 'o', key: 'k', revision: 'r' };
const POLICY = {
  version: 2,
  allow: ['read', 'write'],
  allowed: [
    { name: 'Send', identity: IDENTITY, forms: ['self-closing', 'paired'] },
    { name: 'File', identity: { ...IDENTITY, kind: 'standard' }, forms: ['paired'] },
  ],
  requests: [{ url: 'https://a.example/', method: 'GET', headers: { accept: 'a' }, timeout: 5 }],
  addresses: ['10.0.0.0/8'],
  paths: { read: { allow: ['src/**'], deny: ['src/secret'] }, write: { allow: ['out'] }, delete: { deny: ['out'] } },
  limits: LIMIT_DEFAULTS,
  root: '.',
};
const RECORDS = {
  admitted: { version: 2, reader: 1, decision: 'admitted', occurrence: 0, text: 't', policy: POLICY, named: [1, 0] },
  refused: {
    version: 2,
    reader: 1,
    decision: 'refused',
    occurrence: 1,
    refusal: { class: 'block', line: 1, column: 1 },
  },
  withheld: {
    version: 2,
    reader: 1,
    decision: 'refused',
    occurrence: 2,
    secret: { within: 'policy', rule: '@a/b-c.d_9', line: 1, column: 1 },
  },
};

/** Every place of a value, as the way to it. */
function placesOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) {
    return [[]];
  }
  return [
    [],
    ...Object.entries(value).flatMap(([name, member]) => placesOf(member).map((rest) => [name].concat(rest))),
  ];
}

function changedAt(value: unknown, [name, ...rest]: readonly string[], change: (found: unknown) => unknown): unknown {
  if (name === undefined) {
    return change(value);
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === name ? changedAt(item, rest, change) : item));
  }
  return { ...Object(value), [name]: changedAt(Object(value)[name], rest, change) };
}

function isRead(value: unknown): boolean {
  try {
    return readRecord(value, 'p').occurrence >= 0;
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_XMD_RECORD_UNREADABLE', data: { path: 'p' } });
    return false;
  }
}

/** What stands at a place becomes each of these: all of another type, or a number that counts nothing. */
function othersThan(found: unknown): readonly unknown[] {
  if (isMembers(found)) {
    return [null, 'x', 1, [], [1]];
  }
  return Array.isArray(found)
    ? [null, 'x', 1, { extra: 1 }, [null], [undefined], [[]]]
    : [null, true, -1, 0.5, {}, [1]];
}

/** Places whose members may be any, or may be missing. */
const OPEN_MEMBERS = /,headers$/;
const OPTIONAL = /,timeout$|,headers,|,paths,\w+$|,paths,read,(?:allow|deny)$/;

describe.each(Object.entries(RECORDS))('the %s record', (_, record) => {
  const places = placesOf(record).map((place) => [place.join(','), place] as const);

  it('A-02 A-10 is read, and says all that was written', () => {
    const { version, reader, ...said } = record;
    const read = readRecord(record, 'p');
    expect(read).toEqual(said);
    expect([version, reader]).toEqual([2, 1]);
    if (read.decision === 'refused') {
      expect(encodeRecord(read)).toEqual(record);
    }
  });

  it.each(places)('A-10 with a value of another kind at "%s" it is unreadable', (_at, place) => {
    const changed: unknown[] = [];
    changedAt(record, place, (found) => changed.push(...othersThan(found)));
    expect(changed.filter((other) => isRead(changedAt(record, place, () => other)))).toEqual([]);
  });

  it.each(places.filter(([at]) => at !== '' && !OPEN_MEMBERS.test(at)))(
    'A-10 with a member more, or without it, at "%s" it is unreadable',
    (at, place) => {
      const more = changedAt(record, place, (found) => (isMembers(found) ? { ...found, extra: 1 } : undefined));
      expect(isRead(more)).toBe(false);
      const less = changedAt(record, place.slice(0, -1), (found) =>
        Array.isArray(found)
          ? 0
          : Object.fromEntries(Object.entries(Object(found)).filter(([name]) => name !== place.at(-1))),
      );
      expect(isRead(less)).toBe(OPTIONAL.test(at));
    },
  );
});

describe('a word of a record', () => {
  it.each([
    [['version'], 1],
    [['reader'], 2],
    [['decision'], 'other'],
    [['policy', 'version'], 1],
    [
      ['policy', 'allow'],
      ['write', 'read'],
    ],
    [
      ['policy', 'allow'],
      ['read', 'read'],
    ],
    [
      ['policy', 'allow'],
      ['read', 'write', 'read'],
    ],
    [['policy', 'allow'], []],
    [
      ['policy', 'allowed', '0', 'forms'],
      ['paired', 'self-closing'],
    ],
    [
      ['policy', 'allowed', '0', 'forms'],
      ['paired', 'paired'],
    ],
    [['policy', 'allowed', '0', 'forms'], []],
    [['policy', 'allowed', '0', 'identity', 'kind'], 'other'],
    [['policy', 'requests', '0', 'method'], 'get'],
    [['policy', 'addresses', '0'], '10.0.0.1/8'],
    [['policy', 'paths', 'read', 'allow', '0'], '../x'],
    [['policy', 'limits', 'depth'], 0],
    [['named'], [2]],
    [['named'], [-1]],
  ])('A-10 at %j is one of those known: not %j', (place, word) => {
    expect(isRead(changedAt(RECORDS.admitted, place, () => word))).toBe(false);
  });

  it.each([
    [['policy', 'allow'], ['read']],
    [['policy', 'allow'], ['write']],
    [['policy', 'allowed', '0', 'forms'], ['self-closing']],
    [['policy', 'limits', 'depth'], 1],
    [['policy', 'limits', 'depth'], Number.MAX_SAFE_INTEGER],
    [['named'], []],
    [['named'], [0, 0, 1]],
  ])('A-10 at %j it may be %j', (place, word) => {
    expect(isRead(changedAt(RECORDS.admitted, place, () => word))).toBe(true);
  });

  it.each<[string, unknown, boolean]>([
    ['within', 'text', true],
    ['within', 'other', false],
    ['rule', 'r', true],
    ['rule', 'r'.repeat(200), true],
    ['rule', 'r'.repeat(201), false],
    ['rule', '', false],
    ['rule', 'a word', false],
    ['rule', ' r', false],
    ['rule', 'r ', false],
    ['rule', 'R', false],
    ['line', 0, false],
    ['column', 0, false],
  ])('A-10 a withheld record whose %s is %j', (member, word, read) => {
    expect(isRead(changedAt(RECORDS.withheld, ['secret', member], () => word))).toBe(read);
  });

  it.each([
    ['class', 'other', false],
    ['class', 'limit', true],
    ['class', 'toString', false],
    ['line', 0, false],
    ['column', 0, false],
  ])('A-10 a refusal whose %s is %j', (member, word, read) => {
    expect(isRead(changedAt(RECORDS.refused, ['refusal', member], () => word))).toBe(read);
  });

  it('A-10 the member that is not as written is named', () => {
    const named = (value: unknown): string => {
      try {
        return readRecord(value, 'p').decision;
      } catch (error) {
        return String(Object(Object(error).data).member);
      }
    };
    for (const member of ['version', 'reader', 'decision', 'occurrence', 'text', 'policy', 'named']) {
      expect(named({ ...RECORDS.admitted, [member]: {} })).toBe(member);
    }
    expect(named({ ...RECORDS.refused, refusal: {} })).toBe('refusal');
    expect(named({ ...RECORDS.withheld, secret: {} })).toBe('secret');
    for (const record of Object.values(RECORDS)) {
      expect(named({ ...record, extra: 1 })).toBe('its list of members');
    }
  });
});
