import { describe, expect, it } from 'vitest';
import {
  isSameAsking,
  readHttpRequest,
  readHttpUrl,
  readWrittenRequest,
} from '../../../../controllers/xmd/values/http-request.ts';

const URL_TEXT = 'https://a.example/';

describe('a request as it is written', () => {
  it.each(['http://a', 'https://a', 'HTTPS://A.example', 'http://a/b?c', 'http://[::1]:80/'])(
    'FT-01 reads %s',
    (url) => {
      expect(readHttpUrl(url)?.href).toBe(new URL(url).href);
      expect(readHttpRequest({ url })).toEqual({ url, method: 'GET', headers: {} });
    },
  );

  it.each([
    'ftp://a',
    'xhttp://a',
    'http:/a',
    'http:///a',
    'http://a ',
    ' http://a',
    'http://a#',
    'http://a@b',
    'http://@b',
    'HTTP://@b',
    'http://:@b',
    'http://u:p@b',
    'http://\\a',
    'http://a\n',
    'http://a/\tb',
    'http://?a',
    '',
  ])('FT-01 does not read %j', (url) => {
    expect(readHttpUrl(url)).toBeUndefined();
    expect(readHttpRequest({ url })).toBeUndefined();
  });

  it('FT-03 takes every character that a name and a value may have', () => {
    const name = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
    expect(readHttpRequest({ url: URL_TEXT, headers: { [name]: '!\t ~\u0080\u00ff', b: '' } })?.headers).toEqual({
      [name]: '!\t ~\u0080\u00ff',
      b: '',
    });
    for (const wrong of ['', 'a b', 'a:', 'é', ' a', 'a ', '(', 'a"']) {
      expect(readHttpRequest({ url: URL_TEXT, headers: { [wrong]: 'x' } })).toBeUndefined();
    }
    for (const wrong of [' x', 'x ', '\tx', 'x\t', 'a\nb', 'a\u007f', 'a\u0100', '\0']) {
      expect(readHttpRequest({ url: URL_TEXT, headers: { a: wrong } })).toBeUndefined();
    }
  });

  it('FT-03 orders the names, and takes each once', () => {
    const request = readHttpRequest({ url: URL_TEXT, headers: { C: '1', a: '2', B: '3' } });
    expect(Object.entries(request?.headers ?? {})).toEqual([
      ['a', '2'],
      ['b', '3'],
      ['c', '1'],
    ]);
    expect(readHttpRequest({ url: URL_TEXT, headers: { a: '1', A: '1' } })).toBeUndefined();
  });

  it.each([
    [5, 5],
    ['5', 5],
    ['5ms', 5],
    ['5s', 5000],
    ['5m', 300_000],
    ['5min', 300_000],
    ['999999999999999', 999_999_999_999_999],
  ])('FT-04 a timeout of %j is %d ms', (timeout, expected) => {
    expect(readHttpRequest({ url: URL_TEXT, timeout })?.timeout).toBe(expected);
  });

  it.each([0, '0', '0s', -1, 1.5, '', '5 s', '5h', 's', '1e3', 'x5', '5sx', '9999999999999999', '999999999999999min'])(
    'FT-04 %j is no timeout',
    (timeout) => {
      expect(readHttpRequest({ url: URL_TEXT, timeout })).toBeUndefined();
    },
  );

  it('FT-02 is GET or HEAD, as it is written', () => {
    const methods = ['GET', 'HEAD', 'get', 'POST', ''].map(
      (method) => readHttpRequest({ url: URL_TEXT, method })?.method,
    );
    expect(methods).toEqual(['GET', 'HEAD', undefined, undefined, undefined]);
  });

  it('FT-05 asks for the same when method, headers and time limit are the same', () => {
    const one = { url: URL_TEXT, method: 'GET', headers: { a: '1' }, timeout: 5 } as const;
    expect(isSameAsking(one, { ...one, url: 'http://b' })).toBe(true);
    for (const other of [{ method: 'HEAD' }, { headers: {} }, { headers: { a: '2' } }, { timeout: 6 }] as const) {
      expect(isSameAsking(one, { ...one, ...other })).toBe(false);
    }
  });
});

describe('a request as somebody wrote it', () => {
  it('FT-05 is read with the members that are there, and no others', () => {
    expect(readWrittenRequest({ url: 'http://a' })).toStrictEqual({ url: 'http://a' });
    const whole = { url: 'http://a', method: 'GET', headers: { a: 'b' }, timeout: 1 };
    expect(readWrittenRequest(whole)).toStrictEqual(whole);
    for (const [name, wrong] of Object.entries({ url: 5, method: 5, headers: ['a'], timeout: true })) {
      expect(readWrittenRequest({ ...whole, [name]: wrong })).toBeUndefined();
    }
    expect(readWrittenRequest({ ...whole, headers: { a: 5 } })).toBeUndefined();
  });

  it('FT-04 takes one millisecond, and an @ behind the host', () => {
    expect(readHttpRequest({ url: 'http://a', timeout: 1 })?.timeout).toBe(1);
    expect(readHttpUrl('http://a.example?m=x@y')?.search).toBe('?m=x@y');
    expect(readHttpUrl('http://x@a.example?m=y')).toBeUndefined();
  });
});
