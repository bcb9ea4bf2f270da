import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { HEADER_BYTES_MAX, HEADERS_MAX } from '../../../../controllers/xmd/providers/http-exchange.ts';
import { canary, get, rawCanary, reasonOf } from './canary.ts';

const at = ({ port }: { readonly port: number }, path = '/') => `http://127.0.0.1:${port}${path}`;

/** Writes a head and leaves the rest to the test. */
const HEAD = 'HTTP/1.1 200 OK\r\n';

describe('an exchange', () => {
  it('FT-37 answers status, sorted lower-case headers with repeats joined, and the body', async () => {
    const server = await canary((_request, response) => {
      response.writeHead(418, { 'X-B': ['2', '1'], 'X-A': 'a', 'Set-Cookie': ['c=1', 'd=2'] });
      response.end('\ufeffshort and stout');
    });
    const { status, headers, body } = await get({ url: at(server) });

    expect(status).toBe(418);
    expect(body).toBe('\ufeffshort and stout');
    expect(Object.keys(headers)).toEqual(Object.keys(headers).toSorted());
    expect(headers).toMatchObject({ 'x-a': 'a', 'x-b': '2, 1', 'set-cookie': 'c=1, d=2' });
  });

  it('FT-37 HEAD has no body, whatever its headers promise', async () => {
    const server = await canary((_request, response) => {
      response.writeHead(200, { 'content-length': '5000000', 'content-encoding': 'gzip' });
      response.end();
    });
    await expect(get({ url: at(server), method: 'HEAD' })).resolves.toMatchObject({ status: 200, body: '' });
    expect(server.requests).toEqual(['HEAD /']);
  });

  it('FT-38 sends the request and what a client says of itself, and nothing of the environment', async () => {
    let seen: unknown;
    const server = await canary((request, response) => {
      seen = request.headers;
      response.end();
    });
    await get({ url: at(server, '/a%20b?c=d'), headers: { 'X-Own': 'v', 'User-Agent': 'mine' } });

    expect(server.requests).toEqual(['GET /a%20b?c=d']);
    expect(seen).toEqual({
      accept: '*/*',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'mine',
      'x-own': 'v',
      host: `127.0.0.1:${server.port}`,
      connection: 'close',
    });
  });

  it('FT-38 goes past a proxy that the environment names', async () => {
    const proxy = await canary((_request, response) => response.end('proxy'));
    const server = await canary((_request, response) => response.end('server'));
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : at(proxy);
    try {
      await expect(get({ url: at(server) })).resolves.toMatchObject({ body: 'server' });
    } finally {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    }
    expect(proxy.hits()).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])('FT-39 %i is a result, and its location is not visited', async (status) => {
    const target = await canary((_request, response) => response.end('there'));
    const server = await canary((_request, response) => {
      response.writeHead(status, { location: at(target) });
      response.end('moved');
    });
    const response = await get({ url: at(server) });

    expect(response).toMatchObject({ status, body: 'moved', headers: { location: at(target) } });
    expect([server.hits(), target.hits()]).toEqual([1, 0]);
  });

  it('FT-38 keeps no connection for a later request', async () => {
    const server = await canary((_request, response) => response.end('x'));
    await get({ url: at(server) });
    await server.drained();
    await get({ url: at(server) });
    expect(server.hits()).toBe(2);
  });
});

const sending = (body: Buffer | string, headers: Record<string, string> = {}) =>
  canary((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });

describe('the limit on a body', () => {
  it.each([
    ['plain', (text: string) => Buffer.from(text), ''],
    ['gzip', (text: string) => gzipSync(text), 'gzip'],
    ['x-gzip', (text: string) => gzipSync(text), 'X-GZip'],
    ['deflate', (text: string) => deflateSync(text), 'deflate'],
    ['raw deflate', (text: string) => deflateRawSync(text), 'deflate'],
    ['br', (text: string) => brotliCompressSync(text), 'br'],
  ] as const)(
    'FT-34 counts the decoded bytes of a %s one: at the limit and one past it',
    async (_name, code, encoding) => {
      const text = 'é'.repeat(5_000);
      const server = await sending(code(text), encoding === '' ? {} : { 'content-encoding': encoding });

      await expect(get({ url: at(server) }, { responseBytes: 10_000 })).resolves.toMatchObject({ body: text });
      expect(await reasonOf(get({ url: at(server) }, { responseBytes: 9_999 }))).toBe('too-large');
      await server.drained();
    },
  );

  it('FT-34 stops a bomb: a small gzip of a large text', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));
    expect(bomb.length).toBeLessThan(100_000);
    const server = await sending(bomb, { 'content-encoding': 'gzip' });
    const before = process.memoryUsage().arrayBuffers;

    expect(await reasonOf(get({ url: at(server) }, { responseBytes: 65_536 }))).toBe('too-large');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1_048_576);
    await server.drained();
  });

  it.each(['identity', 'gzip'])('FT-34 closes the connection of an endless %s body', async (encoding) => {
    const server = await canary((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    });

    expect(await reasonOf(get({ url: at(server) }, { responseBytes: 100_000 }))).toBe('too-large');
    await server.drained();
  });

  it.each([
    ['an encoding that it does not know', 'zstd', 'x'],
    ['two encodings', 'gzip, gzip', gzipSync(gzipSync('x'))],
    ['gzip that is none', 'gzip', 'plain text'],
    ['gzip that is cut off', 'gzip', gzipSync('a longer text than that').subarray(0, 20)],
    ['br that is none', 'br', 'plain text'],
  ])('FT-35 %s is no response', async (_name, encoding, body) => {
    const server = await sending(body, { 'content-encoding': encoding });
    expect(await reasonOf(get({ url: at(server) }))).toBe('protocol');
    const whole = await sending(gzipSync('x'), { 'content-encoding': 'gzip' });
    await expect(get({ url: at(whole) })).resolves.toMatchObject({ body: 'x' });
  });

  it('FT-35 an empty body is empty in any encoding', async () => {
    const server = await sending('', { 'content-encoding': 'gzip' });
    await expect(get({ url: at(server) })).resolves.toMatchObject({ body: '' });
  });

  it.each([
    ['a lone byte', [0xff]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0x61, 0xc3]],
  ])('FT-36 %s is not UTF-8', async (_name, bytes) => {
    const server = await sending(Buffer.from(bytes), { 'content-type': 'text/plain; charset=iso-8859-1' });
    expect(await reasonOf(get({ url: at(server) }))).toBe('invalid-utf8');
    const whole = await sending('é');
    expect(await reasonOf(get({ url: at(whole) }))).toBe(200);
  });
});

/** Headers of exactly so many bytes, separators included. */
const headersOf = (bytes: number) => {
  const lines: string[] = [];
  let left = bytes;
  while (left > 0) {
    const length = left > 4_000 ? 2_000 : left;
    lines.push(`a${String(lines.length).padStart(2, '0')}: ${'v'.repeat(length - 7)}\r\n`);
    left -= length;
  }
  return lines.join('');
};

const serving = (headers: string) => rawCanary((socket) => socket.end(`${HEAD}${headers}\r\n`));

const many = (count: number) => Array.from({ length: count }, () => 'a: b\r\n').join('');

const interim = (count: number) => 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(count);

const afterInterim = (count: number) =>
  rawCanary((socket) => socket.write(`${interim(count)}${HEAD}content-length: 0\r\n\r\n`));

describe('the limits on headers', () => {
  it('FT-35 are met at their last byte and not one past it', async () => {
    expect(await reasonOf(get({ url: at(await serving(headersOf(HEADER_BYTES_MAX))) }))).toBe(200);
    expect(await reasonOf(get({ url: at(await serving(headersOf(HEADER_BYTES_MAX + 1))) }))).toBe('headers-too-large');
  });

  it('FT-35 are met at the last header and not one past it', async () => {
    const whole = await get({ url: at(await serving(many(HEADERS_MAX))) });
    expect(whole.headers['a']?.split(', ')).toHaveLength(HEADERS_MAX);
    expect(await reasonOf(get({ url: at(await serving(many(HEADERS_MAX + 1))) }))).toBe('headers-too-large');
  });

  it('FT-35 stop a flood', async () => {
    const server = await rawCanary((socket) => {
      const line = `x: ${'y'.repeat(1_000)}\r\n`;
      socket.write(HEAD);
      const more = (): void => {
        while (!socket.destroyed && socket.write(line));
      };
      socket.on('drain', more);
      more();
    });
    expect(await reasonOf(get({ url: at(server) }))).toBe('headers-too-large');
    await server.drained();
  });

  it('FT-35 stop a flood of interim responses', async () => {
    expect(await reasonOf(get({ url: at(await afterInterim(10)) }))).toBe(200);
    expect(await reasonOf(get({ url: at(await afterInterim(11)) }))).toBe('protocol');
  });
});

/** A resolver that never answers. */
const unanswered = () => new Promise<never>(() => undefined);

describe('the limit on time', () => {
  const SHORT = { timeoutMs: 60 };

  it.each<[string, (response: ServerResponse) => void]>([
    ['no head', () => undefined],
    ['a head and no body', (response) => response.writeHead(200).flushHeaders()],
    ['a body that does not end', (response) => void response.write('a')],
  ])('FT-36 ends an exchange with %s, and the connection', async (_name, serve) => {
    const server = await canary((_request, response) => serve(response));
    expect(await reasonOf(get({ url: at(server) }, SHORT))).toBe('timeout');
    await server.drained();
    expect(server.hits()).toBe(1);
  });

  it('FT-36 ends a body that comes byte by byte: all of it has one limit', async () => {
    const server = await canary((_request, response) => {
      const timer = setInterval(() => response.write('a'), 5);
      response.on('close', () => clearInterval(timer));
    });
    expect(await reasonOf(get({ url: at(server) }, { timeoutMs: 150 }))).toBe('timeout');
    await server.drained();
  });

  it('FT-36 counts the resolver, too', async () => {
    expect(await reasonOf(get({ url: 'http://name.example/' }, SHORT, { resolve: unanswered }))).toBe('timeout');
  });

  it('FT-36 a cancelled exchange is torn down before its promise settles', async () => {
    const controller = new AbortController();
    const server = await canary(() => controller.abort());
    expect(await reasonOf(get({ url: at(server) }, { signal: controller.signal }))).toBe('cancelled');
    await server.drained();
  });

  it('FT-36 one that was cancelled before is not begun', async () => {
    const server = await canary((_request, response) => response.end());
    expect(await reasonOf(get({ url: at(server) }, { signal: AbortSignal.abort() }))).toBe('cancelled');
    expect(server.requests).toEqual([]);
  });
});

/** A resolver to which every name is the loopback. */
const answering = async () => ['127.0.0.1'];

describe('a response that is none', () => {
  it.each([
    ['text', 'hello\r\n\r\n'],
    ['nothing', ''],
    ['a body shorter than it says', `${HEAD}content-length: 10\r\n\r\nabc`],
    ['a chunk that is cut', `${HEAD}transfer-encoding: chunked\r\n\r\nff\r\nabc`],
    ['two lengths', `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ['a length beside chunks', `${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a header with a line ending', `${HEAD}a: b\rc: d\r\n\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('FT-40 %s is a failure of the protocol', async (_name, bytes) => {
    const server = await rawCanary((socket) => socket.end(bytes));
    expect(await reasonOf(get({ url: at(server) }))).toBe('protocol');
    await server.drained();
  });

  it('FT-40 tells no connection and no trust apart', async () => {
    const gone = await rawCanary((socket) => socket.destroy());
    const plain = await rawCanary((socket) => socket.end('no TLS here\r\n\r\n'));
    expect(await reasonOf(get({ url: `https://127.0.0.1:${plain.port}/` }))).toBe('tls');
    expect(await reasonOf(get({ url: at(gone) }))).toBe('protocol');
    expect(await reasonOf(get({ url: 'http://127.0.0.1:1/' }))).toBe('connect');
  });

  it('FT-31 connects to the address and asks for the name, in TLS and in HTTP', async () => {
    const seen: string[] = [];
    const secure = await rawCanary((socket) =>
      socket.once('data', (hello) => {
        seen.push(hello.toString('latin1'));
        socket.destroy();
      }),
    );
    const plain = await canary((request, response) => response.end(request.headers.host));
    expect(await reasonOf(get({ url: `https://shop.example:${secure.port}/` }, {}, { resolve: answering }))).toBe(
      'tls',
    );
    expect(await reasonOf(get({ url: `https://127.0.0.1:${secure.port}/` }))).toBe('tls');
    expect(seen.map((hello) => [hello.includes('shop.example'), hello.includes('127.0.0.1')])).toEqual([
      [true, false],
      [false, false],
    ]);
    await expect(get({ url: `http://shop.example:${plain.port}/` }, {}, { resolve: answering })).resolves.toMatchObject(
      {
        body: `shop.example:${plain.port}`,
      },
    );
  });

  it('FT-40 names the origin that was stated, and nothing that came back', async () => {
    const server = await rawCanary((socket) => socket.end('secret-word\r\n\r\n'));
    const error: unknown = await get({ url: at(server, '/path?query') }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'ERR_XMD_EFFECT',
      message: `Cannot fetch from "http://127.0.0.1:${server.port}": the response is not one of HTTP`,
      data: { reason: 'protocol', origin: `http://127.0.0.1:${server.port}` },
    });
    expect(error).not.toHaveProperty('cause');
  });
});
