import { describe, expect, it, vi } from 'vitest';
import { MemoryRun } from '../../support/memory-handle.ts';
import { rewrite, Scene } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const ADMISSION = 'steps/apply/generated_xmd';
const TEXT = '<File path="a.md" /><File path="b.md">B</File>';

/** A run of which only the admission is on record. */
async function admitted(): Promise<{ scene: Scene; run: MemoryRun }> {
  const scene = new Scene({ files: { 'a.md': 'a' }, allow: ['read', 'write'] });
  const run = new MemoryRun();
  await scene
    .process()
    .evaluateIn(run.openKilledAt(1), { text: TEXT })
    .catch(() => undefined);
  return { scene, run };
}

type Change = (record: Record<string, unknown>) => unknown;

const within =
  (member: string, change: Change): Change =>
  (record) => ({ ...record, [member]: change(Object.fromEntries(Object.entries(record[member] ?? {}))) });
const without =
  (member: string): Change =>
  (record) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => name !== member));
const set =
  (members: Record<string, unknown>): Change =>
  (record) => ({ ...record, ...members });
const inEntry = (change: Change): Change =>
  within('policy', (policy) => ({ ...policy, allowed: [change(firstOf(policy['allowed']))] }));

function firstOf(list: unknown): Record<string, unknown> {
  const [first]: unknown[] = Array.isArray(list) ? list : [];
  return Object.fromEntries(Object.entries(first ?? {}));
}

const HOSTILE: Readonly<Record<string, Change>> = {
  'another version': set({ version: 3 }),
  'version 1 spelled out': set({ version: 1 }),
  'another reader': set({ reader: 2 }),
  'no reader': without('reader'),
  'an unknown decision': set({ decision: 'maybe' }),
  'no text': without('text'),
  'a text that is no string': set({ text: 5 }),
  'an extra member': set({ extra: 1 }),
  'members of version 1 beside its own': set({ source: TEXT }),
  'another occurrence': set({ occurrence: 1 }),
  'an occurrence that is no count': set({ occurrence: -1 }),
  'named past its table': set({ named: [9] }),
  'named that is no list': set({ named: {} }),
  'no policy': without('policy'),
  'a policy of another version': within('policy', set({ version: 1 })),
  'an extra member in its policy': within('policy', set({ roots: [] })),
  'no limits': within('policy', without('limits')),
  'an unknown limit': within('policy', within('limits', set({ bytes: 1 }))),
  'a limit that is no number': within('policy', within('limits', set({ depth: '32' }))),
  'an empty allow': within('policy', set({ allow: [] })),
  'allow in another order': within('policy', set({ allow: ['write', 'read'] })),
  'allow twice': within('policy', set({ allow: ['read', 'read'] })),
  'allow nested': within('policy', set({ allow: [['read', 'write']] })),
  requests: within('policy', set({ requests: [{ url: 'https://example.org' }] })),
  'an entry without identity': inEntry(without('identity')),
  'an identity as a string': inEntry(set({ identity: '@executablemd/core#File:read' })),
  'an identity of an unknown kind': inEntry(within('identity', set({ kind: 'other' }))),
  'an identity with one member more': inEntry(within('identity', set({ extra: '' }))),
  'empty forms': inEntry(set({ forms: [] })),
  'an unknown form': inEntry(set({ forms: ['open'] })),
  'a refusal of an unknown class': () => refused({ class: 'other', line: 1, column: 1 }),
  'a refusal without a place': () => refused({ class: 'block' }),
  'a list': () => [],
  null: () => null,
};

function refused(refusal: unknown): unknown {
  return { version: 2, reader: 1, decision: 'refused', occurrence: 0, refusal };
}

function identity(key: string): Record<string, string> {
  return { kind: 'standard', origin: 'Xmd', key, revision: '1' };
}

describe('an admission record that someone changed', () => {
  it.each(Object.entries(HOSTILE))(
    'E7 with %s is unreadable and performs nothing; unmodified it resumes',
    async (_, change) => {
      const { scene, run } = await admitted();
      const calls = scene.calls.length;
      const unmodified = run.entries.get(ADMISSION);
      rewrite(run, ADMISSION, change);

      await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
        code: 'ERR_XMD_RECORD_UNREADABLE',
        data: { path: ADMISSION, resumable: true },
      });
      expect(scene.calls).toHaveLength(calls);
      expect(run.keys()).toEqual([ADMISSION]);

      if (unmodified !== undefined) run.entries.set(ADMISSION, unmodified);
      await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({ output: 'a' });
    },
  );

  it('A-03 naming other elements than its text refuses as changed', async () => {
    const { scene, run } = await admitted();
    rewrite(run, ADMISSION, set({ named: [0, 0] }));
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
      code: 'ERR_XMD_POLICY_CHANGED',
      data: { changed: 'elements' },
    });
    expect(scene.get('b.md')).toBeUndefined();
  });

  it('E7 new records are version 2, closed, and name every element in authored order', async () => {
    const { run } = await admitted();
    expect(run.value(ADMISSION)).toEqual({
      version: 2,
      reader: 1,
      decision: 'admitted',
      occurrence: 0,
      text: TEXT,
      named: [0, 1],
      policy: {
        version: 2,
        allow: ['read', 'write'],
        allowed: [
          { name: 'File', identity: identity('File:read'), forms: ['self-closing'] },
          { name: 'File', identity: identity('File:write'), forms: ['paired'] },
          { name: 'Dir', identity: identity('Dir'), forms: ['paired'] },
          { name: 'File.Delete', identity: identity('File.Delete'), forms: ['self-closing'] },
        ],
        requests: [],
        addresses: [],
        paths: {},
        limits: {
          textBytes: 1048576,
          elements: 1000,
          depth: 32,
          fileBytes: 1048576,
          responseBytes: 1048576,
          resultBytes: 8388608,
          effectMs: 60000,
        },
        root: './work',
      },
    });
  });
});

describe('an outcome record that someone changed', () => {
  const OUTCOME = `${ADMISSION}/outcome`;
  it.each<[string, Change]>([
    ['an unknown outcome', set({ outcome: 'other' })],
    ['an extra member', set({ extra: 1 })],
    ['an effect past its list', set({ observations: [{ name: 'File', effect: 7 }] })],
    ['another name', set({ observations: [{ name: 'Other', effect: 0 }] })],
    ['an unknown effect', set({ effects: [['xmd[9]/File', 'x']] })],
    ['no effects', set({ effects: [], observations: [], output: [] })],
    ['another digest', (record) => JSON.parse(JSON.stringify(record).replace(/"[\w-]{43}"/, '"x"'))],
    ['output that is no text', set({ output: [{}] })],
    ['a failure without a code', () => ({ outcome: 'failed', effect: 'x', message: 'm', data: null })],
  ])('E7 with %s is unreadable and performs nothing; unmodified it answers', async (_name, change) => {
    const scene = new Scene({ files: { 'a.md': 'a' }, allow: ['read', 'write'] });
    const run = new MemoryRun();
    const first = await scene.process().evaluateIn(run.open(), { text: TEXT });
    const calls = scene.calls;
    const unmodified = run.entries.get(OUTCOME);
    rewrite(run, OUTCOME, change);

    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
      code: 'ERR_XMD_RECORD_UNREADABLE',
    });
    expect(scene.calls).toEqual(calls);

    if (unmodified !== undefined) run.entries.set(OUTCOME, unmodified);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toEqual(first);
  });

  it('A-22 stores the text of a file once, in its effect', async () => {
    const scene = new Scene({ files: { 'a.md': 'a long text that must be on record once' } });
    const run = new MemoryRun();
    await scene.process().evaluateIn(run.open(), { text: '<File path="a.md" />, and prose' });
    const all = [...run.entries.values()].map(({ text }) => text).join('\n');

    expect(all.split('must be on record once')).toHaveLength(2);
    expect(run.value(OUTCOME)).toMatchObject({ output: [0, ', and prose'] });
  });
});

function legacy(changes: Record<string, unknown> = {}, policy: Record<string, unknown> = {}): unknown {
  return {
    decision: 'admitted',
    source: '<File path="a.md" />',
    named: [{ name: 'File', identity: '@executablemd/core#File:read', form: 'self-closing' }],
    policy: {
      allow: ['read'],
      roots: ['r1', 'r2'],
      selectedRoot: 'r1',
      allowed: [{ name: 'File', identity: '@executablemd/core#File:read', forms: ['self-closing'] }],
      requests: [],
      ...policy,
    },
    ...changes,
  };
}

async function resume(
  value: unknown,
  profile: Record<string, unknown> = { retainedRoots: ['r1', 'r2', 'r3'] },
): Promise<{ error: string | undefined; calls: readonly string[] }> {
  const scene = new Scene({ files: { 'a.md': 'a' }, profile });
  const run = new MemoryRun();
  run.entries.set(ADMISSION, { path: ADMISSION, kind: 'decision', decision: 'value', text: JSON.stringify(value) });
  const work = scene.process().evaluateIn(run.open(), { text: '<File path="a.md" />' });
  const error = await work.then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  );
  return { error, calls: scene.calls };
}

describe('a version-1 record', () => {
  it('E7 answers occurrence 0 when the profile retains its roots', async () => {
    await expect(resume(legacy())).resolves.toEqual({ error: undefined, calls: ['read a.md'] });
  });

  it.each<[string, unknown, Record<string, unknown> | undefined, string]>([
    ['roots that are not retained', legacy(), {}, 'ERR_XMD_POLICY_CHANGED'],
    ['one root that is not retained', legacy(), { retainedRoots: ['r1'] }, 'ERR_XMD_POLICY_CHANGED'],
    ['another text', legacy({ source: 'x' }), undefined, 'ERR_XMD_TEXT_CHANGED'],
    ['another allow', legacy({}, { allow: ['write'] }), undefined, 'ERR_XMD_POLICY_CHANGED'],
    [
      'requests',
      legacy({}, { requests: [{ url: 'https://example.org/', method: 'GET', headers: {} }] }),
      undefined,
      'ERR_XMD_POLICY_CHANGED',
    ],
    ['a request that is none', legacy({}, { requests: [{ url: 'u' }] }), undefined, 'ERR_XMD_RECORD_UNREADABLE'],
    [
      'an identity that means nothing here',
      legacy({}, { allowed: [{ name: 'File', identity: '@executablemd/core#Other', forms: ['self-closing'] }] }),
      undefined,
      'ERR_XMD_POLICY_CHANGED',
    ],
    ['other elements', legacy({ named: [] }), undefined, 'ERR_XMD_POLICY_CHANGED'],
    ['an extra member', legacy({ extra: 1 }), undefined, 'ERR_XMD_RECORD_UNREADABLE'],
    ['a selected root outside its roots', legacy({}, { selectedRoot: 'r9' }), undefined, 'ERR_XMD_RECORD_UNREADABLE'],
    ['roots twice', legacy({}, { roots: ['r1', 'r1'] }), undefined, 'ERR_XMD_RECORD_UNREADABLE'],
    ['a refusal', { decision: 'refused', construct: 'block' }, undefined, 'ERR_XMD_REFUSED'],
    ['an unknown refusal', { decision: 'refused', construct: 'x' }, undefined, 'ERR_XMD_RECORD_UNREADABLE'],
  ])('A-41 with %s refuses and performs nothing', async (_name, value, profile, error) => {
    await expect(resume(value, profile)).resolves.toEqual({ error, calls: [] });
  });
});
