import { describe, expect, it } from 'vitest';
import { readHttpUrl } from '../../../../controllers/xmd/values/http-request.ts';
import { canary, get, reasonOf } from './canary.ts';

/** Hosts as somebody could write them who must not get there; all but the last group lead to the loopback. */
const SPELLINGS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0X7F.1',
  '0x7f.0.0.0x1',
  '0177.0.0.1',
  '0177.1',
  '017700000001',
  '127.0.0.01',
  '0',
  '0.0.0.0',
  '0x0',
  '127.0.0.2',
  '127.255.255.254',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'local\u00adhost',
  'ｌｏｃａｌｈｏｓｔ',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:127.0.0.1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',

  '10.0.0.1',
  '100.64.0.1',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.2.1',
  '192.168.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
];

/** A resolver that knows one answer. */
const answering =
  (...addresses: readonly string[]) =>
  async () =>
    addresses;

/** The same port on both loopback addresses. */
async function bothLoopbacks() {
  const four = await canary((_request, response) => response.end('in'), '127.0.0.1');
  const six = await canary((_request, response) => response.end('in'), '::1', four.port);
  return { port: four.port, hits: () => four.hits() + six.hits() };
}

describe('an address that is not public', () => {
  it(`FT-30 is not connected to in any of ${SPELLINGS.length} spellings: no hit`, async () => {
    const { port, hits } = await bothLoopbacks();
    const reasons: unknown[] = [];
    expect(SPELLINGS.filter((host) => readHttpUrl(`http://${host}:${port}/`) === undefined)).toEqual([]);
    for (const host of SPELLINGS) {
      const url = `http://${host}:${port}/`;
      reasons.push(await reasonOf(get({ url }, {}, { addresses: [] })));
    }
    expect(SPELLINGS.length).toBeGreaterThanOrEqual(40);
    // Whether a name with a dot at its end has an address is the resolver's business.
    expect(reasons.map((reason, index) => (SPELLINGS[index] === 'localhost.' ? 'address-refused' : reason))).toEqual(
      SPELLINGS.map(() => 'address-refused'),
    );
    expect(['dns', 'address-refused']).toContain(reasons[SPELLINGS.indexOf('localhost.')]);
    expect(hits()).toBe(0);

    // The twin: the very same canaries, named by the profile.
    expect(await reasonOf(get({ url: `http://127.1:${port}/` }))).toBe(200);
    expect(await reasonOf(get({ url: `http://[0:0::1]:${port}/` }))).toBe(200);
    expect(await reasonOf(get({ url: `http://localhost:${port}/` }))).toBe(200);
    expect(hits()).toBe(3);
  });

  it('FT-31 is not reached through a name either, whatever the resolver answers, and no second look is taken', async () => {
    const allowed = await canary((_request, response) => response.end('allowed'), '127.0.0.1');
    const secret = await canary((_request, response) => response.end('secret'), '127.0.0.2', allowed.port);
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return answers.shift() ?? [];
    };
    const url = `http://rebind.example:${allowed.port}/`;

    await expect(get({ url }, {}, { resolve })).resolves.toMatchObject({ body: 'allowed' });
    expect(asked).toEqual(['rebind.example']);
    expect(await reasonOf(get({ url }, {}, { resolve }))).toBe('address-refused');
    expect(asked).toHaveLength(2);
    expect([allowed.hits(), secret.hits()]).toEqual([1, 0]);
  });

  it.each([
    ['a mapped one', '::ffff:127.0.0.1'],
    ['one with a zone', 'fe80::1%lo'],
    ['text that is none', 'not an address'],
    ['a short one', '127.1'],
    ['an empty one', ''],
  ])('FT-30 is refused when a resolver answers %s', async (_name, address) => {
    const { port, hits } = await bothLoopbacks();
    const url = `http://name.example:${port}/`;
    expect(await reasonOf(get({ url }, {}, { resolve: answering(address) }))).toBe('address-refused');
    expect(hits()).toBe(0);
  });

  it('FT-31 is left out where a name has others, which are tried in turn', async () => {
    const server = await canary((_request, response) => response.end('in'), '127.0.0.1');
    const url = `http://name.example:${server.port}/`;
    expect(await reasonOf(get({ url }, {}, { resolve: answering('10.0.0.1', '127.0.0.2', '::1', '127.0.0.1') }))).toBe(
      200,
    );
    expect(server.hits()).toBe(1);
  });

  it('FT-31 a name without an address is called so', async () => {
    const url = 'http://name.example/';
    expect(await reasonOf(get({ url }, {}, { resolve: async () => [] }))).toBe('dns');
    expect(await reasonOf(get({ url }, {}, { resolve: () => Promise.reject(new Error('ENOTFOUND')) }))).toBe('dns');
  });
});
