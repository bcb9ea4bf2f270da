import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { HttpRequest } from '../values/http-request.ts';
import type { HttpResponse } from './http.ts';
import { readBody } from './http-body.ts';
import { Interruption, type HttpReason } from './http-problem.ts';

/** Names, values and separators of all headers of a response, and how many there may be. */
export const HEADER_BYTES_MAX = 32_768;
export const HEADERS_MAX = 200;

/** The parser's own bound, which also counts the status line. */
const PARSER_BYTES_MAX = HEADER_BYTES_MAX + 16_384;
/** Interim responses, such as early hints, before the real one. */
const INTERIM_MAX = 10;

/** What a client says of itself, unless the request states it. */
const OWN_HEADERS: Readonly<Record<string, string>> = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'telo-xmd',
};

export interface Exchange {
  readonly request: HttpRequest;
  readonly url: URL;
  /** The address to connect to; the name is never looked up again. */
  readonly address: string;
  readonly responseBytes: number;
  readonly signal: AbortSignal;
}

/** How far an exchange has come; a failure is called after it. */
type Phase = Extract<HttpReason, 'connect' | 'tls' | 'protocol'>;

/**
 * Sends one request to one address over a connection of its own and reads the response.
 *
 * Effect: the connection is closed before the promise settles.
 *
 * @throws Interruption
 * @see kernel-specs/fetch.md FT-31 to FT-39
 */
export async function exchange(options: Exchange): Promise<HttpResponse> {
  let phase: Phase = 'connect';
  const secure = options.url.protocol === 'https:';
  const outgoing = open(options, secure);
  const closed = new Promise<void>((resolve) => outgoing.once('close', () => resolve()));
  outgoing.once('socket', (socket: Socket) => {
    socket.once('connect', () => (phase = secure ? 'tls' : 'protocol'));
    socket.once('secureConnect', () => (phase = 'protocol'));
  });
  try {
    const response = await answered(outgoing);
    const headers = readHeaders(response.rawHeaders);
    const body = options.request.method === 'HEAD' ? '' : await readBody(response, options.responseBytes);
    return { status: response.statusCode ?? 0, headers, body };
  } catch (error) {
    throw options.signal.aborted ? new Interruption('cancelled') : interruptionOf(error, phase);
  } finally {
    outgoing.destroy();
    await closed;
  }
}

function open({ request, url, address, signal }: Exchange, secure: boolean): http.ClientRequest {
  const { request: send, Agent } = secure ? https : http;
  const name = hostOf(url);
  const outgoing = send({
    // An agent of its own: no proxy of the environment, and no connection that another host was reached by.
    agent: new Agent({ keepAlive: false }),
    host: address,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...OWN_HEADERS, ...request.headers, host: url.host, connection: 'close' },
    maxHeaderSize: PARSER_BYTES_MAX,
    insecureHTTPParser: false,
    signal,
    ...(secure ? { servername: isIP(name) === 0 ? name : '', rejectUnauthorized: true } : {}),
  });
  // Node drops the headers past this count in silence; zero keeps them for us to count.
  outgoing.maxHeadersCount = 0;
  outgoing.end();
  return outgoing;
}

/** The host of a URL without the brackets of an IPv6 address. Pure. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

async function answered(outgoing: http.ClientRequest): Promise<http.IncomingMessage> {
  let interim = 0;
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    // Kept for good: what happens to a connection that is being torn down is nobody's news.
    outgoing.on('error', reject);
    outgoing.once('close', () => reject(new Interruption('protocol')));
    outgoing.once('upgrade', () => reject(new Interruption('protocol')));
    outgoing.on('information', () => {
      interim += 1;
      if (interim > INTERIM_MAX) {
        reject(new Interruption('protocol'));
      }
    });
  });
}

function readHeaders(raw: readonly string[]): HttpResponse['headers'] {
  const byName = new Map<string, string>();
  let bytes = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    bytes += name.length + value.length + ': \r\n'.length;
    const key = name.toLowerCase();
    const before = byName.get(key);
    byName.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  if (bytes > HEADER_BYTES_MAX || raw.length / 2 > HEADERS_MAX) {
    throw new Interruption('headers-too-large');
  }
  return Object.fromEntries([...byName].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function interruptionOf(error: unknown, phase: Phase): Interruption {
  if (error instanceof Interruption) {
    return error;
  }
  if (!(error instanceof Error) || !('code' in error)) {
    throw error;
  }
  return new Interruption(error.code === 'HPE_HEADER_OVERFLOW' ? 'headers-too-large' : phase);
}
