import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHttpRequest } from '../../../../controllers/xmd/values/http-request.ts';
import { admittedRequest, requestLimitJson } from '../../../../controllers/xmd/values/request-limit.ts';
import { readRequestLimits } from '../../../../controllers/xmd/vocabulary/request-limits.ts';
import { requestOf } from './canary.ts';

const URL = 'https://api.example.org/v1/items';

describe('a request in its normal form', () => {
  it('FT-01 keeps its URL as written, and is GET without headers where nothing else is said', () => {
    const url = 'HTTPS://Api.Example.ORG:443/a/../b?c=d';
    expect(readHttpRequest({ url })).toEqual({ url, method: 'GET', headers: {} });
  });

  it('FT-03 has its headers by lower-case name, in order, values as written', () => {
    const headers = { 'X-B': ' '.trim(), Accept: 'Text/Plain', 'x-a': 'é "q"' };
    const request = requestOf({ url: URL, method: 'HEAD', headers });
    expect(request.headers).toEqual({ accept: 'Text/Plain', 'x-a': 'é "q"', 'x-b': '' });
    expect(Object.keys(request.headers)).toEqual(['accept', 'x-a', 'x-b']);
  });

  it.each<[string | number, number]>([
    ['500', 500],
    [500, 500],
    ['500ms', 500],
    ['30s', 30_000],
    ['2m', 120_000],
    ['2min', 120_000],
  ])('FT-04 has %j as %i milliseconds', (timeout, milliseconds) => {
    expect(readHttpRequest({ url: URL, timeout })?.timeout).toBe(milliseconds);
  });

  it.each([
    '',
    '0',
    '0s',
    '1.5s',
    '-1',
    '1h',
    '1 s',
    's',
    '1S',
    ' 1',
    '9007199254740993',
    '99999999999999999999',
    1.5,
    -1,
    0,
    Infinity,
  ])('FT-04 has no timeout %j', (timeout) => {
    expect(readHttpRequest({ url: URL, timeout })).toBeUndefined();
    expect(readHttpRequest({ url: URL, timeout: '1s' })).toBeDefined();
  });

  it.each([
    '',
    'api.example.org',
    '//api.example.org/',
    '/v1',
    'ftp://example.org/',
    'file:///etc/passwd',
    'data:,x',
    'javascript:1',
    'https:/example.org',
    'https:///example.org',
    'https:\\\\example.org',
    'https://',
    'https://user@example.org/',
    'https://user:password@example.org/',
    'https://@example.org/',
    'https://:@example.org/',
    'https://example.org/#part',
    'https://example.org/#',
    'https://example.org:99999/',
    'https://exa mple.org/',
    ' https://example.org/',
    'https://example.org/ ',
    'https://example.org/\n',
    'https://exam\tple.org/',
    'https://example.org\u0000/',
    'https://[::1/',
    'https://1.2.3.4.5/',
  ])('FT-02 has no URL %j', (url) => {
    expect(readHttpRequest({ url })).toBeUndefined();
    expect(readHttpRequest({ url: URL })).toBeDefined();
  });

  it.each(['get', 'Head', 'POST', 'PUT', 'OPTIONS', '', ' GET', 'GET\r\nX: y'])('FT-02 has no method %j', (method) => {
    expect(readHttpRequest({ url: URL, method })).toBeUndefined();
  });

  it.each([
    { 'a b': 'x' },
    { '': 'x' },
    { 'a:': 'x' },
    { a: 'x\r\nb: y' },
    { a: 'x\n' },
    { a: '\u0000' },
    { a: ' x' },
    { a: 'x\t' },
    { a: '€' },
    { a: '1', A: '2' },
    { ä: '1' },
  ])('FT-03 has no headers %j', (headers) => {
    expect(readHttpRequest({ url: URL, headers: { ...headers } })).toBeUndefined();
  });
});

/** The error of a profile whose requests are none. */
const REFUSED = expect.objectContaining({
  code: 'ERR_XMD_PROFILE',
  data: expect.objectContaining({ reason: 'requests' }),
});

describe('the requests of a profile', () => {
  it('FT-06 are none when left out, and when the list is empty', () => {
    expect(readRequestLimits(undefined)).toEqual([]);
    expect(readRequestLimits([])).toEqual([]);
  });

  it('FT-06 are normalised, each once, in one order', () => {
    const stated = [
      { url: 'https://b.example/', headers: { B: '1', a: '2' } },
      { url: 'https://a.example/', timeout: '1s' },
      { url: 'https://b.example/', method: 'GET', headers: { A: '2', b: '1' }, match: 'exact' },
      { url: 'https://a.example/', match: 'prefix' },
    ];
    const read = readRequestLimits(stated).map(requestLimitJson);
    expect(read).toHaveLength(3);
    expect(readRequestLimits(stated.toReversed()).map(requestLimitJson)).toEqual(read);
    expect(readRequestLimits(read).map(requestLimitJson)).toEqual(read);
  });

  it.each<[unknown]>([
    [null],
    [{}],
    ['https://example.org/'],
    [['https://example.org/']],
    [[{}]],
    [[{ url: 1 }]],
    [[{ url: URL, body: 'x' }]],
    [[{ url: URL, method: 'POST' }]],
    [[{ url: URL, headers: ['a'] }]],
    [[{ url: URL, headers: { a: 1 } }]],
    [[{ url: URL, headers: { A: '1', a: '1' } }]],
    [[{ url: URL, timeout: '1.5s' }]],
    [[{ url: URL, match: 'regex' }]],
    [[{ url: URL, query: true }]],
    [[{ url: URL, match: 'prefix' }]],
    [[{ url: `${URL}/`, match: 'prefix', query: 'yes' }]],
    [[{ url: `${URL}/?a=b`, match: 'prefix' }]],
    [[{ url: 'https://example.org', match: 'prefix' }]],
    [[{ url: 'https://EXAMPLE.org/', match: 'prefix' }]],
    [[{ url: 'https://example.org/a/../', match: 'prefix' }]],
    [[{ url: 'https://example.org//', match: 'prefix' }]],
    [[{ url: 'https://user@example.org/' }]],
    [[{ url: `${URL}#a` }]],
  ])('FT-06 %j is no list of requests', (value) => {
    expect(() => readRequestLimits(value)).toThrow(REFUSED);
  });

  it.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'Upgrade',
    'te',
    'Trailer',
    'expect',
    'Keep-Alive',
    'proxy-authorization',
    'HTTP2-Settings',
  ])('FT-06 the header %s is the connection’s own', (name) => {
    expect(() => readRequestLimits([{ url: URL, headers: { [name]: 'x' } }])).toThrow(REFUSED);
    expect(readRequestLimits([{ url: URL, headers: { [`x-${name}`]: 'x' } }])).toHaveLength(1);
  });
});

const PREFIX = 'https://api.example.org/v1/';

const admitted = (url: string, query = false): string | undefined =>
  admittedRequest(requestOf({ url }), readRequestLimits([{ url: PREFIX, match: 'prefix', query }]))?.url;

const timed = (length: number): number => {
  const url = `${PREFIX}${'a/%25'.repeat(length)}`;
  const start = performance.now();
  for (let time = 0; time < 20; time += 1) admitted(url);
  return performance.now() - start;
};

describe('a candidate for a stated prefix', () => {
  it.each([
    ['https://api.example.org/v1/', undefined],
    ['https://api.example.org/v1/items', undefined],
    ['https://api.example.org/v1/items/', undefined],
    ['https://api.example.org/v1/a/b.c/..d/...', undefined],
    ['https://api.example.org/v1/a%20b', undefined],
    ['HTTPS://API.Example.org:443/v1/é x', 'https://api.example.org/v1/%C3%A9%20x'],
  ])('FT-12 %s is below it, and sent in the spelling that was checked', (url, sent) => {
    expect(admitted(url)).toBe(sent ?? url);
  });

  it.each([
    'https://api.example.org/v1',
    'https://api.example.org/',
    'https://api.example.org/v2/',
    'https://api.example.org/V1/',
    'https://api.example.org/v1x/',
    'http://api.example.org/v1/',
    'https://api.example.org:8443/v1/',
    'https://api.example.org.evil.example/v1/',
    'https://api.example.org./v1/',
    'https://evil.example/https://api.example.org/v1/',
    'https://xn--n3h.example.org/v1/',
    'https://аpi.example.org/v1/',
    'https://api.example.org\\.evil.example/v1/',
    'https://evil.example\\@api.example.org/v1/',
    'https://api.example.org/v1/../secret',
    'https://api.example.org/v1/./a',
    'https://api.example.org/v1/..',
    'https://api.example.org/v1/.',
    'https://api.example.org/v1/a/..',
    'https://api.example.org/v1/..;/secret',
    'https://api.example.org/v1/;x/secret',
    'https://api.example.org/v1/.;x/a',
    'https://api.example.org/v1/..\\secret',
    'https://api.example.org/v1/a\\b',
    'https://api.example.org/v1//a',
    'https://api.example.org//v1/a',
    'https://api.example.org/v1/%2e%2e/secret',
    'https://api.example.org/v1/%2E./secret',
    'https://api.example.org/v1/.%2e/secret',
    'https://api.example.org/v1/%252e%252e/secret',
    'https://api.example.org/v1/%25252e',
    'https://api.example.org/v1/..%2fsecret',
    'https://api.example.org/v1/a%2Fb',
    'https://api.example.org/v1/a%5cb',
    'https://api.example.org/v1/a%5Cb',
    'https://api.example.org/v1/a%00',
    'https://api.example.org/v1/?q=1',
    'https://api.example.org/v1/a?',
    'https://api.example.org/v1/a?../../b',
    'https://api.example.org?/v1/a',
    'https://api.example.org/v1%2fa',
    'https://api.example.org/%761/a/',
  ])('FT-13 %s is not', (url) => {
    expect(admitted(url)).toBeUndefined();
  });

  it('FT-14 may have a query only where that is stated, and one that is data', () => {
    const url = 'https://api.example.org/v1/a?q=../%2e%2f&r=https://x@y/';
    expect(admitted(url)).toBeUndefined();
    expect(admitted(url, true)).toBe(url);
    expect(admitted('https://api.example.org/v1/../a?q=1', true)).toBeUndefined();
    expect(admitted('https://api.example.org/v1/a?b\\c', true)).toBeUndefined();
  });

  it('FT-15 has exactly the method, headers and timeout that are stated', () => {
    const limits = readRequestLimits([{ url: PREFIX, match: 'prefix', headers: { a: 'b' }, timeout: '1s' }]);
    const asked = (written: object) => admittedRequest(requestOf({ url: `${PREFIX}x`, ...written }), limits)?.url;
    expect(asked({ headers: { A: 'b' }, timeout: 1_000 })).toBe(`${PREFIX}x`);
    for (const near of [
      {},
      { headers: { a: 'b' } },
      { headers: { a: 'B' }, timeout: '1s' },
      { headers: { a: 'b' }, timeout: '2s' },
      { headers: { a: 'b', c: '' }, timeout: '1s' },
      { method: 'HEAD', headers: { a: 'b' }, timeout: '1s' },
    ]) {
      expect(asked(near)).toBeUndefined();
    }
  });

  it('FT-13 nothing that a server could read as another path is sent, whatever is written', () => {
    const piece = constantFrom(
      'a',
      '/',
      '.',
      '..',
      '%2e',
      '%2F',
      '%25',
      '%',
      '\\',
      ';',
      '?',
      '@',
      ':',
      '//',
      ' ',
      'é',
      '%00',
      '&',
    );
    let below = 0;
    assert(
      property(array(piece, { maxLength: 8 }), (pieces) => {
        const written = { url: `${PREFIX}${pieces.join('')}` };
        const candidate = readHttpRequest(written);
        const limits = readRequestLimits([{ url: PREFIX, match: 'prefix', query: true }]);
        const sent = candidate === undefined ? undefined : admittedRequest(candidate, limits)?.url;
        if (sent === undefined) return;
        below += 1;
        const path = sent.slice(0, sent.includes('?') ? sent.indexOf('?') : sent.length);
        // Read as leniently as servers do: escapes undone again and again, parameters dropped, backslashes turned.
        const read = path
          .replaceAll('%25', '%')
          .replaceAll('%25', '%')
          .replaceAll(/%2e/gi, '.')
          .replaceAll(/%2f|%5c|\\/gi, '/');
        const segments = read.slice(PREFIX.length).split('/');
        expect(path.startsWith(PREFIX)).toBe(true);
        const named = segments.map((segment) => segment.replace(/;.*/, ''));
        expect(named.slice(0, -1).filter((segment) => ['', '.', '..'].includes(segment))).toEqual([]);
        expect(['.', '..']).not.toContain(named.at(-1));
      }),
      { numRuns: 5_000 },
    );
    expect(below).toBeGreaterThan(100);
  });

  it('FT-16 takes time in proportion to its length', () => {
    timed(10_000);
    expect(timed(80_000)).toBeLessThan(40 * Math.max(timed(10_000), 1));
  });
});
