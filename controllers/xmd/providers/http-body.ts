import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { Interruption } from './http-problem.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a coded body may have on top of the bytes it decodes to: heads, frames, blocks that hold nothing. */
const CODING_BYTES_MAX = 65_536;

/** Bits that tell a zlib head from the raw deflate data that some servers send instead. */
const ZLIB_METHOD_BITS = 0x0f;
const ZLIB_DEFLATE = 0x08;

const DECODERS = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
  'raw-deflate': promisify(inflateRaw),
} as const;

/**
 * Reads the body of a response as text, its content coding undone, within a limit on the decoded bytes.
 *
 * Effect: takes the response to its end, or throws at the first byte too many; then its caller closes the connection.
 *
 * @throws Interruption `too-large`, `protocol` or `invalid-utf8`
 * @see kernel-specs/fetch.md FT-34 to FT-36
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const coding = codingOf(response);
  const coded = await readBytes(response, coding === 'identity' ? maxBytes : maxBytes + CODING_BYTES_MAX);
  return decodeText(coding === 'identity' || coded.length === 0 ? coded : await undo(coding, coded, maxBytes));
}

/** One coding at most: several on top of each other serve bombs more than anybody else. */
function codingOf({ headers }: IncomingMessage): 'identity' | 'gzip' | 'deflate' | 'br' {
  const stated = (headers['content-encoding'] ?? '').trim().toLowerCase();
  switch (stated) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'deflate':
    case 'br':
      return stated;
    default:
      throw new Interruption('protocol');
  }
}

async function readBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    const bytes: Buffer = chunk;
    length += bytes.length;
    if (length > maxBytes) {
      throw new Interruption('too-large');
    }
    chunks.push(bytes);
  }
  if (!response.complete) {
    throw new Interruption('protocol');
  }
  return Buffer.concat(chunks, length);
}

async function undo(coding: 'gzip' | 'deflate' | 'br', coded: Buffer, maxBytes: number): Promise<Buffer> {
  const raw = coding === 'deflate' && ((coded[0] ?? 0) & ZLIB_METHOD_BITS) !== ZLIB_DEFLATE;
  try {
    return await DECODERS[raw ? 'raw-deflate' : coding](coded, { maxOutputLength: maxBytes });
  } catch (error) {
    throw new Interruption(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'protocol');
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) {
      throw new Interruption('invalid-utf8');
    }
    throw error;
  }
}
