import { createServer, type RequestListener, type Server } from 'node:http';
import {
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';
import type { AddressRange } from '../../../../controllers/xmd/values/address.ts';
import type { HttpRequest, WrittenRequest } from '../../../../controllers/xmd/values/http-request.ts';
import { readHttpRequest } from '../../../../controllers/xmd/values/http-request.ts';
import { openHttp, type HttpClientOptions } from '../../../../controllers/xmd/providers/http-client.ts';
import type { HttpBounds, HttpResponse } from '../../../../controllers/xmd/providers/http.ts';
import { readStatedAddresses } from '../../../../controllers/xmd/vocabulary/stated-addresses.ts';

/** A real server on a loopback address that counts who came. */
export interface Canary {
  readonly port: number;
  /** Connections, whether or not a request was read on them. */
  readonly hits: () => number;
  readonly requests: string[];
  /** Connections that are open now. */
  readonly open: () => number;
  /** Waits until no connection is open. */
  readonly drained: () => Promise<void>;
}

const LOOPBACK: readonly AddressRange[] = readStatedAddresses(['127.0.0.1/32', '::1/128']);

/** Effect: a server of HTTP, closed with the test. */
export async function canary(answer: RequestListener, host = '127.0.0.1', port = 0): Promise<Canary> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  return listening(server, { host, port, requests });
}

/** Effect: a server that writes what it is told to, HTTP or not. */
export function rawCanary(serve: (socket: Socket) => void): Promise<Canary> {
  return listening(
    createSocketServer((socket) => {
      socket.on('error', () => undefined).resume();
      serve(socket);
    }),
    { host: '127.0.0.1', port: 0, requests: [] },
  );
}

async function listening(
  server: Server | SocketServer,
  at: { readonly host: string; readonly port: number; readonly requests: string[] },
): Promise<Canary> {
  let hits = 0;
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  server.on('connection', (socket: Socket) => {
    hits += 1;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) waiting.splice(0).forEach((done) => done());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on an address, not on a pipe
  const { port } = server.address() as AddressInfo;
  return {
    port,
    hits: () => hits,
    requests: at.requests,
    open: () => sockets.size,
    drained: () => new Promise((resolve) => (sockets.size === 0 ? resolve() : waiting.push(resolve))),
  };
}

export function requestOf(written: WrittenRequest): HttpRequest {
  const request = readHttpRequest(written);
  if (request === undefined) throw new Error('This is no request');
  return request;
}

/** One exchange with a client that may reach the loopback, unless told otherwise. */
export function get(
  written: WrittenRequest,
  bounds: Partial<HttpBounds> = {},
  client: Partial<HttpClientOptions> = {},
): Promise<HttpResponse> {
  return openHttp({ addresses: LOOPBACK, ...client }).fetch(requestOf(written), {
    responseBytes: 1_048_576,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...bounds,
  });
}

/** The reason of a failed exchange, or the status of one that worked. */
export function reasonOf(work: Promise<HttpResponse>): Promise<unknown> {
  return work.then(
    ({ status }) => status,
    (error: { code?: unknown; data?: { reason?: unknown } }) =>
      error.code === 'ERR_XMD_EFFECT' ? error.data?.reason : error,
  );
}
