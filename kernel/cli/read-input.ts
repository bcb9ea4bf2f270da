import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { InvokeError } from '@telorun/sdk';
import type { CommandWorld } from './command.ts';
import { inputError, notFoundError } from './usage.ts';

const BYTES_MAX = 64 * 1024 * 1024;
/** What the files of a run may have at most, as their reader says. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;
const CHUNK_BYTES = 65_536;

/** Reads text given as itself, as `@file`, or as `-` for standard input. Effect. @throws InvokeError ERR_CLI_NOT_FOUND */
export async function readText(argument: string, world: CommandWorld): Promise<string> {
  if (argument === '-') return readStream(world);
  return argument.startsWith('@') ? readFile(argument.slice(1), world) : argument;
}

/** Reads JSON given as text, `@file` or `-`. Effect. @throws InvokeError ERR_CLI_INVALID_INPUT */
export async function readJson(argument: string, what: string, world: CommandWorld): Promise<unknown> {
  const text = await readText(argument, world);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    const said = error instanceof SyntaxError ? error.message.replace(/^JSON\.parse: /, '') : String(error);
    throw inputError(
      `Cannot read ${what}: it is not JSON (${said})`,
      `Give ${what} as JSON, a text in quotes of its own ('"yes"'), as @file, or as - for standard input.`,
    );
  }
}

/** Reads a file of the caller's. Effect. @throws InvokeError ERR_CLI_NOT_FOUND, ERR_CLI_INVALID_INPUT */
export function readFile(name: string, world: CommandWorld): string {
  return decoded(readAtMost(name, world, BYTES_MAX), name);
}

/**
 * Reads a file of a run, or standard input for `-`, as it is. Effect.
 *
 * @throws InvokeError ERR_CLI_NOT_FOUND, ERR_CLI_INVALID_INPUT for what is larger than 256 MiB
 */
export async function readBytes(name: string, world: CommandWorld): Promise<Uint8Array> {
  return name === '-' ? readChunks(world, FILE_BYTES_MAX) : readAtMost(name, world, FILE_BYTES_MAX);
}

const WHY: Readonly<Record<string, string>> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };

function readAtMost(name: string, world: CommandWorld, bytesMax: number): Buffer {
  let bytes: Buffer;
  try {
    bytes = readWhole(resolve(world.cwd, name), bytesMax);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const why = WHY[code] ?? code;
    throw notFoundError(`Cannot read "${name}": ${why}`, 'Name a file that exists and can be read.');
  }
  if (bytes.length > bytesMax) throw tooLarge(`"${name}"`, bytesMax);
  return bytes;
}

/** A device may have no end: no more is read than tells that it is too large. */
function readWhole(file: string, bytesMax: number): Buffer {
  const fd = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; size <= bytesMax;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      size += count;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(fd);
  }
}

async function readStream(world: CommandWorld): Promise<string> {
  return decoded(await readChunks(world, BYTES_MAX), 'standard input');
}

async function readChunks(world: CommandWorld, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of world.stdin) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > bytesMax) throw tooLarge('standard input', bytesMax);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLarge(what: string, bytesMax: number): InvokeError {
  return inputError(`Cannot read ${what}: it is larger than ${bytesMax / 1024 / 1024} MiB`, 'Give less.');
}

function decoded(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw inputError(`Cannot read ${what}: it is not UTF-8 text`, 'Give UTF-8 text.');
  }
}
