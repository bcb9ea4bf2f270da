import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { selfSigned } from './certificate.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** What a process of its own does: one exchange for each URL; prints a status and body, or a reason. */
const CLIENT = `
import { openHttp } from '${join(ROOT, 'controllers/xmd/providers/http-client.ts')}';
import { readStatedAddresses } from '${join(ROOT, 'controllers/xmd/vocabulary/stated-addresses.ts')}';
const http = openHttp({ addresses: readStatedAddresses(['127.0.0.1/32']), resolve: async () => ['127.0.0.1'] });
const answers: unknown[] = [];
for (const url of process.argv.slice(2)) {
  const bounds = { responseBytes: 1_000, timeoutMs: 20_000, signal: new AbortController().signal };
  answers.push(await http.fetch({ url, method: 'GET', headers: {} }, bounds).then(
    ({ status, body }) => \`\${status} \${body}\`,
    (error) => error.data?.reason ?? String(error),
  ));
}
console.log(JSON.stringify(answers));
`;

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'xmd-trust-'));
  const { cert, key } = selfSigned('shop.example');
  let requests = 0;
  const server = createServer({ cert, key }, (request, response) => {
    requests += 1;
    response.end(request.headers.host?.replace(/:.*/, ''));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, cert);
  const client = join(folder, 'client.mjs');
  await build({
    stdin: { contents: CLIENT, loader: 'ts', resolveDir: ROOT },
    outfile: client,
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['source'],
    logLevel: 'silent',
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on an address, not on a pipe
  const { port } = server.address() as AddressInfo;
  const ask = async (hosts: readonly string[], env: Record<string, string>): Promise<unknown> => {
    const urls = hosts.map((host) => `https://${host}:${port}/`);
    const { stdout } = await promisify(execFile)(process.execPath, [client, ...urls], { env });
    return JSON.parse(stdout);
  };
  return { authority, ask, requests: () => requests };
}

it('FT-40 trusts a certificate for the name that was stated, and none for another or of an unknown authority', async () => {
  const { authority, ask, requests } = await setUp();
  const hosts = ['shop.example', '127.0.0.1', 'other.example'];

  expect(await ask(hosts, { NODE_EXTRA_CA_CERTS: authority })).toEqual(['200 shop.example', '200 127.0.0.1', 'tls']);
  expect(requests()).toBe(2);
  expect(await ask(hosts, {})).toEqual(['tls', 'tls', 'tls']);
  expect(await ask(hosts, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual(['tls', 'tls', 'tls']);
  expect(requests()).toBe(2);
});
