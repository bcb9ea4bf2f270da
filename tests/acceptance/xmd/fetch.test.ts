import { createCancellationSource } from '@telorun/sdk';
import { describe, expect, it, vi } from 'vitest';
import { durableContext } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { type Canary, canary } from '../../unit/xmd/http/canary.ts';
import { rewrite, Scene, type SceneOptions, suspended } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const ADMISSION = 'steps/apply/generated_xmd';
const EFFECT = 'steps/apply/xmd[0]/Fetch';

interface Requested {
  readonly server: Canary;
  readonly scene: Scene;
  readonly run: MemoryRun;
  readonly url: string;
  /** The fragment that asks for it. */
  readonly text: string;
}

/** A profile that states requests to a server of this test, and that server. */
async function requesting(
  states: (url: string) => readonly unknown[] = (url) => [{ url }],
  options: SceneOptions = {},
): Promise<Requested> {
  const server = await canary((request, response) => {
    response.setHeader('x-served', request.url ?? '');
    response.end(`body ${server.requests.length}`);
  });
  const url = `http://127.0.0.1:${server.port}/a`;
  const scene = new Scene({ ...options, profile: profileOf(states(url)) });
  return { server, scene, run: new MemoryRun(), url, text: `before <Fetch url="${url}" /> after` };
}

function profileOf(requests: readonly unknown[], changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { requests, addresses: ['127.0.0.1/32'], ...changes };
}

const refused = (kind: string) => ({ code: 'ERR_XMD_REFUSED', data: { class: kind } });

describe('a stated request', () => {
  it('FT-50 is performed once and recorded as one effect: an observation, and no output', async () => {
    const { server, scene, run, url, text } = await requesting();
    const result = await scene.process().evaluateIn(run.open(), { text });

    expect(result).toEqual({
      output: 'before  after',
      observations: [
        {
          name: 'Fetch',
          value: { status: 200, body: 'body 1', headers: expect.objectContaining({ 'x-served': '/a' }) },
        },
      ],
    });
    expect(server.requests).toEqual(['GET /a']);
    expect(run.keys()).toEqual([ADMISSION, EFFECT, `${ADMISSION}/outcome`]);
    expect(run.value(EFFECT)).toEqual(result.observations[0]?.value);
    expect(run.value(ADMISSION)).toMatchObject({
      policy: { requests: [{ url, method: 'GET', headers: {} }], addresses: ['127.0.0.1/32'] },
    });
    expect(run.entries.get(EFFECT)?.target).toBeUndefined();
  });

  it('FT-50 is the one that is stated, with the headers of the profile and in its spelling', async () => {
    let seen: unknown;
    const server = await canary((request, response) => {
      seen = { method: request.method, url: request.url, a: request.headers['x-a'] };
      response.end();
    });
    const url = `http://127.0.0.1:${server.port}/v1/`;
    const headers = { 'X-A': 'b' };
    const scene = new Scene({
      profile: profileOf([{ url, match: 'prefix', query: true, method: 'HEAD', headers, timeout: '30s' }]),
    });
    const written = url.replace('http:', 'HTTP:');
    const props = `method="HEAD" headers={{"x-A": "b"}} timeout={30000}`;
    await scene.process().evaluate({ text: `<Fetch url="${written}é?q=1" ${props} />` });

    expect(seen).toEqual({ method: 'HEAD', url: '/v1/%C3%A9?q=1', a: 'b' });
    await expect(
      scene.process().preflight({ text: `<Fetch url="${written}é?q=1" ${props} />` }),
    ).resolves.toMatchObject({
      effects: [{ input: { url: `${url}%C3%A9?q=1`, method: 'HEAD', headers: { 'x-a': 'b' }, timeout: 30_000 } }],
    });
  });

  it('FT-50 answers any status; a redirect is not followed', async () => {
    const server = await canary((_request, response) => response.writeHead(302, { location: '/b' }).end('gone'));
    const url = `http://127.0.0.1:${server.port}/a`;
    const scene = new Scene({ profile: profileOf([{ url }, { url: url.replace(/a$/, 'b') }]) });
    await expect(scene.process().evaluate({ text: `<Fetch url="${url}" />` })).resolves.toMatchObject({
      observations: [{ value: { status: 302, body: 'gone', headers: { location: '/b' } } }],
    });
    expect(server.requests).toEqual(['GET /a']);
  });

  it('FT-51 that fails is the outcome of its attempt, names the origin, and is thrown ever after', async () => {
    const { server, scene, run, url, text } = await requesting();
    const closed = { ...profileOf([{ url }]), addresses: [] };
    const error = {
      code: 'ERR_XMD_EFFECT',
      data: { effect: EFFECT, reason: 'address-refused', origin: `http://127.0.0.1:${server.port}` },
    };
    for (const _ of [0, 1]) {
      await expect(scene.process({ profile: closed }).evaluateIn(run.open(), { text })).rejects.toMatchObject(error);
    }
    expect(run.keys()).toEqual([ADMISSION, `${ADMISSION}/outcome`]);
    expect(server.hits()).toBe(0);
  });

  it('FT-51 is bounded by responseBytes and resultBytes', async () => {
    const { scene, text, url } = await requesting();
    const limited = (limits: Record<string, number>) =>
      scene.process({ profile: profileOf([{ url }], { limits }) }).evaluate({ text });
    await expect(limited({ responseBytes: 5 })).rejects.toMatchObject({ data: { reason: 'too-large' } });
    await expect(limited({ responseBytes: 6, resultBytes: 20 })).rejects.toMatchObject({
      data: { reason: 'result-limit' },
    });
    await expect(limited({ responseBytes: 6 })).resolves.toMatchObject({
      observations: [{ value: { body: 'body 3' } }],
    });
  });
});

describe('a request that is not stated', () => {
  const NEAR: Readonly<Record<string, (url: string) => string>> = {
    'another path': (url) => `<Fetch url="${url}b" />`,
    'a path above': (url) => `<Fetch url="${url.replace(/a$/, '')}" />`,
    'a slash more': (url) => `<Fetch url="${url}/" />`,
    'a query': (url) => `<Fetch url="${url}?" />`,
    'a fragment': (url) => `<Fetch url="${url}#" />`,
    'user information': (url) => `<Fetch url="${url.replace('//', '//user@')}" />`,
    'another letter case': (url) => `<Fetch url="${url.replace('http:', 'HTTP:')}" />`,
    'another spelling of the host': (url) => `<Fetch url="${url.replace('127.0.0.1', '127.1')}" />`,
    'a dot segment': (url) => `<Fetch url="${url.replace(/a$/, './a')}" />`,
    'an escaped character': (url) => `<Fetch url="${url.replace(/a$/, '%61')}" />`,
    'a space at its end': (url) => `<Fetch url="${url} " />`,
    'another method': (url) => `<Fetch url="${url}" method="HEAD" />`,
    'no method': (url) => `<Fetch url="${url}" method="POST" />`,
    'a method in lower case': (url) => `<Fetch url="${url}" method="get" />`,
    'a header': (url) => `<Fetch url="${url}" headers={{"a": "b"}} />`,
    'a header that frames': (url) => `<Fetch url="${url}" headers={{"host": "127.0.0.1"}} />`,
    'a header twice': (url) => `<Fetch url="${url}" headers={{"a": "b", "A": "b"}} />`,
    'a timeout': (url) => `<Fetch url="${url}" timeout="30s" />`,
    'a timeout that is none': (url) => `<Fetch url="${url}" timeout="1.5s" />`,
    'no URL': () => '<Fetch url="" />',
    'a file': () => '<Fetch url="file:///etc/passwd" />',
    'the prefix of a longer name': (url) => `<Fetch url="${url.replace('127.0.0.1', '127.0.0.1.example.org')}" />`,
  };

  it.each(Object.entries(NEAR))('FT-11 because of %s is class request: no hit', async (_name, near) => {
    const { server, scene, run, url, text } = await requesting();
    const bad = near(url);
    await expect(
      scene.process().evaluateIn(run.open(), { text: `<Fetch url="${url}" />${bad}` }),
    ).rejects.toMatchObject(refused('request'));
    expect(run.keys()).toEqual([ADMISSION]);
    expect(JSON.stringify([...run.entries.values()])).not.toContain(url);
    expect(server.hits()).toBe(0);

    await scene.process().evaluate({ text });
    expect(server.hits()).toBe(1);
  });

  it.each([
    ['no url', '<Fetch />'],
    ['a bare url', '<Fetch url />'],
    ['a url that is a number', '<Fetch url={1} />'],
    ['a method that is a list', '<Fetch url="URL" method={["GET"]} />'],
    ['headers that are a string', '<Fetch url="URL" headers="a: b" />'],
    ['headers that are a list', '<Fetch url="URL" headers={[]} />'],
    ['a header that is a number', '<Fetch url="URL" headers={{"a": 1}} />'],
    ['a timeout that is true', '<Fetch url="URL" timeout />'],
    ['a body', '<Fetch url="URL" body="x" />'],
  ])('FT-05 with %s is class props: no hit', async (_name, written) => {
    const { server, scene, url } = await requesting();
    await expect(scene.process().evaluate({ text: written.replace('URL', url) })).rejects.toMatchObject(
      refused('props'),
    );
    expect(server.hits()).toBe(0);
    const whole = `<Fetch url={"${url}"} method="GET" headers={{}} />`;
    await expect(scene.process().evaluate({ text: whole })).resolves.toMatchObject({ output: '' });
  });

  it('E3 FT-10 there is no Fetch without a request, in a paired form, or under write alone', async () => {
    const { server, scene, text, url } = await requesting();
    for (const profile of [profileOf([]), { addresses: ['127.0.0.1/32'] }]) {
      await expect(scene.process({ profile }).evaluate({ text })).rejects.toMatchObject(refused('component'));
    }
    const paired = `<Fetch url="${url}"></Fetch>`;
    await expect(scene.process().evaluate({ text: paired })).rejects.toMatchObject(refused('content'));
    await expect(scene.process({ allow: ['write'] }).evaluate({ text })).rejects.toMatchObject(refused('component'));
    expect(server.hits()).toBe(0);
    await scene.process({ allow: ['read', 'write'] }).evaluate({ text });
    expect(server.hits()).toBe(1);
  });

  it.each([
    { requests: {} },
    { requests: [{ url: '/a' }] },
    { addresses: ['localhost'] },
    { addresses: '127.0.0.1/32' },
  ])('FT-06 %j is no profile', (profile) => {
    expect(() => new Scene().process({ profile })).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
  });
});

describe('a run with requests', () => {
  it('R7 a partial replay performs no second request, and a completed run none at all', async () => {
    const { server, scene, run, url } = await requesting((one) => [{ url: one }, { url: `${one}b` }]);
    const text = `<Fetch url="${url}" /><Fetch url="${url}b" />`;
    // The admission and the first response are recorded; the second is performed, and its record is lost.
    await expect(scene.process().evaluateIn(run.openKilledAt(2), { text })).rejects.toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    });
    expect(server.requests).toEqual(['GET /a', 'GET /ab']);

    const first = await scene.process().evaluateIn(run.open(), { text });
    expect(server.requests).toEqual(['GET /a', 'GET /ab', 'GET /ab']);
    expect(first.observations.map(({ value }) => Object(value).body)).toEqual(['body 1', 'body 3']);
    await expect(scene.process().evaluateIn(run.open(), { text })).resolves.toEqual(first);
    expect(server.hits()).toBe(3);
  });

  it('R4 each request is performed once over a wait and three resumes', async () => {
    const { server, scene, run, text } = await requesting();
    for (const _ of [0, 1, 2]) await suspended(scene.process().workflow(run.open(), { text }, () => 1));
    run.deliver('steps/wait', 'yes');
    await expect(scene.process().workflow(run.open(), { text }, () => 1)).resolves.toMatchObject({ answer: 'yes' });
    expect(server.hits()).toBe(1);
  });

  const MOVED: Readonly<Record<string, { change: (url: string) => Record<string, unknown>; changed: string }>> = {
    'one request more': { change: (url) => profileOf([{ url }, { url: `${url}b` }]), changed: 'requests' },
    'another method': { change: (url) => profileOf([{ url, method: 'HEAD' }]), changed: 'requests' },
    'another header': { change: (url) => profileOf([{ url, headers: { a: 'b' } }]), changed: 'requests' },
    'another timeout': { change: (url) => profileOf([{ url, timeout: '9s' }]), changed: 'requests' },
    'a prefix': {
      change: (url) => profileOf([{ url: url.replace(/a$/, ''), match: 'prefix' }]),
      changed: 'requests',
    },
    'another address': { change: (url) => profileOf([{ url }], { addresses: ['127.0.0.0/8'] }), changed: 'addresses' },
    'no request': { change: () => profileOf([]), changed: 'allowed' },
  };

  it.each(Object.entries(MOVED))(
    'R5 %s refuses before any transport, and the old requests resume',
    async (_, moved) => {
      const { server, scene, run, url, text } = await requesting();
      await scene
        .process()
        .evaluateIn(run.openKilledAt(1), { text })
        .catch(() => undefined);
      const hits = server.hits();
      await expect(
        scene.process({ profile: moved.change(url) }).evaluateIn(run.open(), { text }),
      ).rejects.toMatchObject({ code: 'ERR_XMD_POLICY_CHANGED', data: { changed: moved.changed, resumable: true } });
      expect(server.hits()).toBe(hits);
      expect(run.keys()).toEqual([ADMISSION]);

      await scene.process({ profile: profileOf([{ url }, { url }]) }).evaluateIn(run.open(), { text });
      expect(server.hits()).toBe(hits + 1);
    },
  );

  it('R5 FT-20 requests that allow did not select may change', async () => {
    const { scene, run, url } = await requesting(undefined, { allow: ['write'] });
    const text = '<File path="b.md">B</File>';
    await scene
      .process()
      .evaluateIn(run.openKilledAt(1), { text })
      .catch(() => undefined);
    expect(run.value(ADMISSION)).toMatchObject({ policy: { requests: [], addresses: [] } });
    const moved = profileOf([{ url: `${url}b` }], { addresses: [] });
    await scene.process({ profile: moved }).evaluateIn(run.open(), { text });
    expect(scene.get('b.md')).toBe('B');
  });

  it.each<[string, (requests: unknown[], policy: Record<string, unknown>) => Record<string, unknown>, string]>([
    ['a URL', ([first]) => ({ requests: [{ ...Object(first), url: 'http://127.0.0.1/b' }] }), 'POLICY_CHANGED'],
    ['a method', ([first]) => ({ requests: [{ ...Object(first), method: 'HEAD' }] }), 'POLICY_CHANGED'],
    ['an address', () => ({ addresses: [] }), 'POLICY_CHANGED'],
    [
      'one request more',
      (all) => ({ requests: [...all, { url: 'http://z/', method: 'GET', headers: {} }] }),
      'POLICY_CHANGED',
    ],
    ['a request twice', ([first]) => ({ requests: [first, first] }), 'RECORD_UNREADABLE'],
    ['an unknown member', ([first]) => ({ requests: [{ ...Object(first), body: 'x' }] }), 'RECORD_UNREADABLE'],
    [
      'headers out of order',
      ([first]) => ({ requests: [{ ...Object(first), headers: { A: 'b' } }] }),
      'RECORD_UNREADABLE',
    ],
    ['a match spelled out', ([first]) => ({ requests: [{ ...Object(first), match: 'exact' }] }), 'RECORD_UNREADABLE'],
    ['a timeout as text', ([first]) => ({ requests: [{ ...Object(first), timeout: '1s' }] }), 'RECORD_UNREADABLE'],
    ['addresses of another spelling', () => ({ addresses: ['127.0.0.1'] }), 'RECORD_UNREADABLE'],
    ['no addresses', (_all, policy) => ({ ...policy, addresses: undefined }), 'RECORD_UNREADABLE'],
  ])('R8 a record in which %s moved performs no request, and the unmoved one resumes', async (_name, move, code) => {
    const { server, scene, run, text } = await requesting();
    await scene
      .process()
      .evaluateIn(run.openKilledAt(1), { text })
      .catch(() => undefined);
    const hits = server.hits();
    const unmoved = run.entries.get(ADMISSION);
    rewrite(run, ADMISSION, (record) => {
      const policy: Record<string, unknown> = { ...Object(record['policy']) };
      return { ...record, policy: { ...policy, ...move(Object(policy['requests']), policy) } };
    });
    await expect(scene.process().evaluateIn(run.open(), { text })).rejects.toMatchObject({ code: `ERR_XMD_${code}` });
    expect(server.hits()).toBe(hits);

    if (unmoved !== undefined) run.entries.set(ADMISSION, unmoved);
    await scene.process().evaluateIn(run.open(), { text });
    expect(server.hits()).toBe(hits + 1);
  });
});

function deferred() {
  const settle: { resolve?: () => void } = {};
  const promise = new Promise<void>((resolve) => (settle.resolve = resolve));
  return { promise, resolve: () => settle.resolve?.() };
}

/** A server that never answers, and who waits for a request to reach it. */
async function silent() {
  const source = createCancellationSource();
  const { promise: arrival, resolve: arrived } = deferred();
  const server = await canary(() => arrived());
  const url = `http://127.0.0.1:${server.port}/a`;
  return { server, url, source, arrival, run: new MemoryRun(), text: `<Fetch url="${url}" />` };
}

describe('a request that takes time', () => {
  it('E10 is stopped by a cancellation, its connection closed before the evaluation settles; nothing is recorded of it', async () => {
    const { server, url, source, arrival, run, text } = await silent();
    const scene = new Scene({ profile: profileOf([{ url }]) });
    const context = durableContext(run.open(), 'steps/apply', { cancellation: source.token });
    const work = scene.process().evaluate({ text: `${text}<File path="b.md" />` }, context);
    const ended = work.catch((error: unknown) => error);
    await arrival;
    source.cancel('interrupted');
    expect(await ended).toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    await server.drained();
    expect(run.keys()).toEqual([ADMISSION]);
    expect(scene.calls).toEqual([]);
    expect(server.hits()).toBe(1);
  });

  it('EV-35 fails after effectMs, and is torn down', async () => {
    const { server, url, run, text } = await silent();
    const scene = new Scene({ profile: profileOf([{ url }], { limits: { effectMs: 80 } }) });
    await expect(scene.process().evaluateIn(run.open(), { text })).rejects.toMatchObject({
      code: 'ERR_XMD_EFFECT',
      data: { effect: EFFECT, reason: 'time-limit' },
    });
    await server.drained();
  });

  it('FT-51 fails after its own timeout', async () => {
    const { server, url, run } = await silent();
    const scene = new Scene({ profile: profileOf([{ url, timeout: '80ms' }]) });
    await expect(
      scene.process().evaluateIn(run.open(), { text: `<Fetch url="${url}" timeout="80ms" />` }),
    ).rejects.toMatchObject({ code: 'ERR_XMD_EFFECT', data: { effect: EFFECT, reason: 'timeout' } });
    await server.drained();
  });
});

const record = (url: string, requests: unknown) => {
  const identity = '@executablemd/core#Fetch';
  const file = '@executablemd/core#File:read';
  return {
    decision: 'admitted',
    source: `<Fetch url="${url}" />`,
    named: [{ name: 'Fetch', identity, form: 'self-closing' }],
    policy: {
      allow: ['read'],
      roots: ['r1'],
      selectedRoot: 'r1',
      allowed: [
        { name: 'File', identity: file, forms: ['self-closing'] },
        { name: 'Fetch', identity, forms: ['self-closing'] },
      ],
      requests,
    },
  };
};

const one = (url: string, changes: object = {}) => ({ url, method: 'GET', headers: {}, ...changes });

const both = (url: string) => [one(url), one(`${url}b`, { timeout: 5 })];

const prefix = (url: string) => [{ url: url.replace(/a$/, ''), match: 'prefix' }];

async function resume(requests: (url: string) => unknown, states?: (url: string) => readonly unknown[]) {
  const { server, scene, run, url } = await requesting(
    states ?? ((at) => [{ url: at }, { url: `${at}b`, timeout: 5 }]),
  );
  const text = JSON.stringify(record(url, requests(url)));
  run.entries.set(ADMISSION, { path: ADMISSION, kind: 'decision', decision: 'value', text });
  const profile = { ...scene.options.profile, retainedRoots: ['r1'] };
  const error = await scene
    .process({ profile })
    .evaluateIn(run.open(), { text: `<Fetch url="${url}" />` })
    .then(
      () => undefined,
      (thrown: { code?: string }) => thrown.code,
    );
  return { error, hits: server.hits() };
}

describe('a version-1 record with requests', () => {
  it('E7 answers when its requests are the stated ones, in whatever order', async () => {
    await expect(resume(both)).resolves.toEqual({ error: undefined, hits: 1 });
    await expect(resume((url) => both(url).toReversed())).resolves.toEqual({ error: undefined, hits: 1 });
  });

  it.each<[string, (url: string) => unknown, string]>([
    ['a request fewer', (url) => [one(url)], 'ERR_XMD_POLICY_CHANGED'],
    ['another timeout', (url) => [one(url), one(`${url}b`, { timeout: 6 })], 'ERR_XMD_POLICY_CHANGED'],
    [
      'another header',
      (url) => [one(url, { headers: { a: 'b' } }), one(`${url}b`, { timeout: 5 })],
      'ERR_XMD_POLICY_CHANGED',
    ],
    ['none', () => [], 'ERR_XMD_POLICY_CHANGED'],
    ['a member that version 1 did not have', (url) => [one(url, { match: 'prefix' })], 'ERR_XMD_RECORD_UNREADABLE'],
    ['a timeout as text', (url) => [one(url, { timeout: 'soon' })], 'ERR_XMD_RECORD_UNREADABLE'],
    ['no list', () => ({}), 'ERR_XMD_RECORD_UNREADABLE'],
  ])('A-41 with %s refuses before any transport', async (_name, requests, error) => {
    await expect(resume(requests)).resolves.toEqual({ error, hits: 0 });
  });

  it('A-41 never stands for a prefix', async () => {
    await expect(resume((url) => [one(url.replace(/a$/, ''))], prefix)).resolves.toEqual({
      error: 'ERR_XMD_POLICY_CHANGED',
      hits: 0,
    });
  });
});
