import { createHash, createHmac } from 'node:crypto';
import type { Environment } from '@marcbachmann/cel-js';
import { spend, spendWhole, surfaceOf } from '../budget.ts';
import { define, typeOf } from './define.ts';

const HMAC_ALGORITHMS = new Set(['md5', 'sha1', 'sha256', 'sha512']);

/** JSON, base64, URL escapes and digests. Texts are UTF-8; digests are lower-case hex. */
export function registerEncoding(environment: Environment): void {
  define(environment, {
    'json(dyn): string': toJson,
    'parseJson(string): dyn': parseJson,
    'base64Encode(string): string': (text: string) => Buffer.from(text, 'utf8').toString('base64'),
    'base64Encode(bytes): string': (bytes: Uint8Array) => Buffer.from(bytes).toString('base64'),
    'base64Decode(string): string': (text: string) => utf8(decodeBase64(text)),
    'bytesFromBase64(string): bytes': (text: string) => new Uint8Array(decodeBase64(text)),
    'bytesToBase64(bytes): string': (bytes: Uint8Array) => Buffer.from(bytes).toString('base64'),
    'urlEncode(string): string': (text: string) => encodeURIComponent(text),
    'urlDecode(string): string': (text: string) => decodeURIComponent(text),
    'hmac(string, dyn, dyn): string': hmac,
  });
  for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
    define(environment, { [`${name}(dyn): string`]: (value: unknown) => digest(name, value) });
  }
}

/** Ints are written as digits, however large: what JSON.stringify refuses to do with them. */
function toJson(value: unknown): string {
  spend(1 + surfaceOf(value));
  if (typeof value === 'bigint') return value.toString();
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeOf(value) !== 'map' || typeof value !== 'object') return stringified(value);
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return `{${entries.map(([key, item]) => `${JSON.stringify(String(key))}:${toJson(item)}`).join(',')}}`;
}

function stringified(value: unknown): string {
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  const text = typeof value === 'function' || typeof value === 'symbol' ? undefined : JSON.stringify(value);
  if (text === undefined) throw new Error(`json cannot write ${typeOf(value)}`);
  return text;
}

function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  spendWhole(value, (one) => {
    if (typeof one === 'object' && one !== null && Object.hasOwn(one, '__proto__'))
      throw new Error('JSON with the key __proto__ is refused');
  });
  return value;
}

function decodeBase64(text: string): Buffer {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new Error('Not base64');
  return Buffer.from(text, 'base64');
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

function bytesOf(value: unknown, what: string): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new Error(`${what} takes a string or bytes, not ${typeOf(value)}`);
}

function digest(name: string, value: unknown): string {
  return createHash(name).update(bytesOf(value, name)).digest('hex');
}

function hmac(algorithm: string, key: unknown, message: unknown): string {
  if (!HMAC_ALGORITHMS.has(algorithm)) throw new Error(`hmac knows ${[...HMAC_ALGORITHMS].join(', ')}`);
  return createHmac(algorithm, bytesOf(key, 'hmac')).update(bytesOf(message, 'hmac')).digest('hex');
}
