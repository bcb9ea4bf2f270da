import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Environment } from '@marcbachmann/cel-js';
import { define } from './define.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** 100 ns units between the Gregorian epoch of versions 1 and 6 and the Unix epoch. */
const GREGORIAN_OFFSET = 122_192_928_000_000_000n;

/** UUIDs of a name (versions 3 and 5), of the clock (1, 6, 7) and of chance (4). */
export function registerUuids(environment: Environment): void {
  define(environment, {
    'uuidv1(): string': () => timeBased(1),
    'uuidv3(string, string): string': (name: string, namespace: string) => named('md5', 3, name, namespace),
    'uuidv4(): string': () => randomUUID(),
    'uuidv5(string, string): string': (name: string, namespace: string) => named('sha1', 5, name, namespace),
    'uuidv6(): string': () => timeBased(6),
    'uuidv7(): string': () => format(versioned(Buffer.concat([bigEndian(BigInt(Date.now()), 6), randomBytes(10)]), 7)),
    'uuidValidate(string): bool': (text: string) => UUID.test(text),
    'uuidVersion(string): int': version,
  });
}

function named(algorithm: string, number: number, name: string, namespace: string): string {
  if (!UUID.test(namespace)) throw new Error('The namespace is not a UUID');
  const bytes = createHash(algorithm)
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  return format(versioned(bytes.subarray(0, 16), number));
}

function timeBased(number: 1 | 6): string {
  const ticks = BigInt(Date.now()) * 10_000n + GREGORIAN_OFFSET;
  const hex = ticks.toString(16).padStart(15, '0');
  const time =
    number === 6 ? `${hex.slice(0, 12)}0${hex.slice(12)}` : `${hex.slice(7)}${hex.slice(3, 7)}0${hex.slice(0, 3)}`;
  const node = randomBytes(8);
  node[2] = (node[2] ?? 0) | 1;
  return format(versioned(Buffer.concat([Buffer.from(time, 'hex'), node]), number));
}

function versioned(bytes: Buffer, number: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[6] = ((copy[6] ?? 0) & 0x0f) | (number << 4);
  copy[8] = ((copy[8] ?? 0) & 0x3f) | 0x80;
  return copy;
}

function bigEndian(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(bytes * 2, '0'), 'hex');
}

function format(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function version(text: string): bigint {
  if (!UUID.test(text)) throw new Error('Not a UUID');
  return BigInt(`0x${text.charAt(14)}`);
}
