import { Evaluate, Profile } from '../../../controllers/xmd/index.ts';
import { stampRefIdentity } from '@telorun/sdk';
import { describe, expect, it, vi } from 'vitest';
import { durableContext, fakeContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { Scene } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const CANARY = 'canary-8c1f';

describe('inputs', () => {
  it.each<[string, unknown]>([
    ['no text', {}],
    ['no inputs', undefined],
    ['a text that is a number', { text: 5 }],
    ['a text that is null', { text: null }],
    ['an empty allow', { text: 'a', allow: [] }],
    ['an allow that is a string', { text: 'a', allow: 'read' }],
    ['an unknown grant', { text: 'a', allow: ['exec'] }],
    ['a repeated grant', { text: 'a', allow: ['read', 'read'] }],
    ['an allow wider than the resource', { text: 'a', allow: ['read', 'write'] }],
    ['program', { program: 'a' }],
    ['program beside text', { text: 'a', program: 'a' }],
    ['an unknown input', { text: 'a', profile: {} }],
    ['inputs that are a list', ['a']],
  ])('E2 %s refuses before anything is recorded, read or claimed', async (_name, inputs) => {
    const scene = new Scene({ files: { 'a.md': 'a' } });
    const run = new MemoryRun();
    const process = scene.process();
    const handle = run.open();

    await expect(process.evaluateIn(handle, inputs)).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
    expect(run.keys()).toEqual([]);
    expect(scene.calls).toEqual([]);

    // The twin, in the same execution: nothing was claimed, no attempt counted.
    await process.evaluateIn(handle, { text: '<File path="a.md" />' });
    expect(run.keys()).toEqual([
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/File',
      'steps/apply/generated_xmd/outcome',
    ]);
  });

  it('E2 two texts refuse, one of either kind is the text', async () => {
    const scene = new Scene({ text: 'own' });
    const run = new MemoryRun();
    const given = { text: '<File path="a.md" />' };
    await expect(scene.process().evaluateIn(run.open(), given)).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
    expect(run.keys()).toEqual([]);
    expect(scene.calls).toEqual([]);
    await expect(scene.process().evaluate({})).resolves.toEqual({ observations: [], output: 'own' });
  });

  it('E11 source is text in a workflow profile, exclusive with it, and refused in an ordinary one', async () => {
    const scene = new Scene({ files: { 'a.md': 'a' }, profile: { host: 'workflow' } });
    const source = '<File path="a.md" />';
    const run = new MemoryRun();
    const aliased = new MemoryRun();

    const plain = await scene.process().evaluateIn(run.open(), { text: source });
    await expect(scene.process().evaluateIn(aliased.open(), { source })).resolves.toEqual(plain);
    expect([...aliased.entries]).toEqual([...run.entries]);
    const calls = scene.calls.length;
    for (const [process, inputs] of [
      [scene.process(), { source, text: source }],
      [scene.process({ text: source }), { source }],
      [scene.process(), { program: source }],
      [scene.process({ profile: {} }), { source }],
      [scene.process({ profile: {} }), { program: source }],
    ] as const) {
      const refused = new MemoryRun();
      await expect(process.evaluateIn(refused.open(), inputs)).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
      expect(refused.keys()).toEqual([]);
    }
    expect(scene.calls).toHaveLength(calls);
  });
});

describe('the standard table', () => {
  const NAMES = [
    ['File', 'self-closing', ['read']],
    ['File', 'paired', ['write']],
    ['Dir', 'paired', ['write']],
    ['Dir', 'self-closing', []],
    ['File.Delete', 'self-closing', ['write']],
    ['File.Delete', 'paired', []],
    ...['Fetch', 'Glob', 'Elicit', 'Plan', 'Evaluate', 'TempDir', 'Json', 'Syntax', 'Git.Push', 'Agent', 'file.Delete']
      .filter((name) => /^[A-Z]/.test(name))
      .flatMap((name): [string, string, string[]][] => [
        [name, 'self-closing', []],
        [name, 'paired', []],
      ]),
    ['Files', 'self-closing', []],
    ['File.Deletes', 'self-closing', []],
    ['FILE', 'self-closing', []],
  ] as [string, string, string[]][];
  const ALLOWS = [['read'], ['write'], ['read', 'write']];
  const cells = NAMES.flatMap(([name, form, grants]) =>
    ALLOWS.map((allow) => ({ name, form, allow, admitted: grants.some((grant) => allow.includes(grant)) })),
  );

  const perform = async ({ name, form, allow }: (typeof cells)[number]) => {
    const scene = new Scene({ files: { 'here.md': 'h' }, allow });
    const path = name === 'Dir' ? 'folder' : 'here.md';
    const text = form === 'paired' ? `<${name} path="${path}">t</${name}>` : `<${name} path="${path}" />`;
    const run = new MemoryRun();
    const ended = await scene
      .process()
      .evaluateIn(run.open(), { text })
      .then(
        () => 'performed',
        (error: { code?: string; data?: unknown }) => ({ code: error.code, data: error.data }),
      );
    return { ended, calls: scene.calls.length, records: run.keys().filter((key) => !key.endsWith('/before')).length };
  };

  it.each(cells.filter(({ admitted }) => admitted))('E3 $name $form under $allow is performed', async (cell) => {
    await expect(perform(cell)).resolves.toEqual({ ended: 'performed', calls: 1, records: 3 });
  });

  it.each(cells.filter(({ admitted }) => !admitted))('E3 $name $form under $allow is refused', async (cell) => {
    await expect(perform(cell)).resolves.toMatchObject({
      ended: { code: 'ERR_XMD_REFUSED', data: { line: 1, column: 1 } },
      calls: 0,
      records: 1,
    });
  });

  it('E3 the matrix admits eight cells of it, and the others are its neighbours', () => {
    expect(cells.filter(({ admitted }) => admitted)).toHaveLength(8);
    expect(cells.length).toBeGreaterThan(80);
  });

  it('E3 write alone contributes no observation; both contribute the reads only', async () => {
    const scene = new Scene({ files: { 'a.md': 'a' } });
    const write = '<File path="b.md">b</File>';
    const only = await scene.process({ allow: ['write'] }).evaluate({ text: write });
    const both = await scene
      .process({ allow: ['read', 'write'] })
      .evaluate({ text: `${write}<File path="a.md" />`, allow: ['write', 'read'] });

    expect(only).toEqual({ observations: [], output: '' });
    expect(both).toEqual({ observations: [{ name: 'File', value: 'a' }], output: 'a' });
  });

  it.each([
    '<Evaluate text="x" allow={["write"]} />',
    'allow: [read, write]\n<File path="b.md">b</File>',
    '<File path="b.md" allow="write">b</File>',
  ])('E3 text grants nothing: %s', async (text) => {
    const scene = new Scene();
    const run = new MemoryRun();
    await expect(scene.process().evaluateIn(run.open(), { text })).rejects.toMatchObject({ code: 'ERR_XMD_REFUSED' });
    expect(run.keys()).toEqual(['steps/apply/generated_xmd']);
    expect(scene.calls).toEqual([]);
    expect(scene.get('b.md')).toBeUndefined();
    await scene.process({ allow: ['write'] }).evaluate({ text: '<File path="b.md">b</File>' });
    expect(scene.get('b.md')).toBe('b');
  });

  it('E15 a profile without write cannot write, whatever the resource allows', async () => {
    const scene = new Scene({ profile: { grants: ['read'] }, allow: ['read', 'write'] });
    const text = '<File path="b.md">b</File>';
    const [wide, narrow] = [new MemoryRun(), new MemoryRun()];
    await expect(scene.process().evaluateIn(wide.open(), { text })).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
    await expect(scene.process({ allow: ['read'] }).evaluateIn(narrow.open(), { text })).rejects.toMatchObject({
      code: 'ERR_XMD_REFUSED',
    });
    expect([wide.keys(), narrow.keys()]).toEqual([[], ['steps/apply/generated_xmd']]);
    expect(scene.calls).toEqual([]);
    await scene.process({ profile: {} }).evaluate({ text });
    expect(scene.get('b.md')).toBe('b');
  });

  it.each(['---\na: 1\n---\n', '{props.x}', '<Return>x</Return>', '<Output>x</Output>', '<Content />'])(
    'E4 %j refuses before effects, alone and around a valid write',
    async (construct) => {
      const scene = new Scene({ allow: ['read', 'write'] });
      const write = '<File path="b.md">b</File>';
      for (const text of [construct, construct.startsWith('---') ? construct + write : write + construct]) {
        const run = new MemoryRun();
        await expect(scene.process().evaluateIn(run.open(), { text })).rejects.toMatchObject({
          code: 'ERR_XMD_REFUSED',
        });
        expect(run.keys()).toEqual(['steps/apply/generated_xmd']);
      }
      expect(scene.calls).toEqual([]);
      await scene.process().evaluate({ text: write });
      expect(scene.calls).toEqual(['write b.md']);
    },
  );
});

describe('what a refusal says', () => {
  it('A-05 holds a class and a position, never a word of the fragment, and replays to the same', async () => {
    const scene = new Scene({ allow: ['read', 'write'] });
    const run = new MemoryRun();
    const text = `${CANARY}\n <Canary path="${CANARY}" />`;
    const errors: unknown[] = [];
    for (const _ of [0, 1]) {
      errors.push(
        await scene
          .process()
          .evaluateIn(run.open(), { text })
          .catch((error: unknown) => error),
      );
    }

    expect(errors[0]).toMatchObject({
      code: 'ERR_XMD_REFUSED',
      data: { class: 'component', line: 2, column: 2 },
    });
    expect(errors[1]).toEqual(errors[0]);
    expect(run.value('steps/apply/generated_xmd')).toEqual({
      version: 2,
      reader: 1,
      decision: 'refused',
      occurrence: 0,
      refusal: { class: 'component', line: 2, column: 2 },
    });
    const all = JSON.stringify([...run.entries.values()]) + String(errors[0]) + JSON.stringify(errors[0]);
    expect(all).not.toMatch(/canary/i);
  });
});

function evaluateIn(ctx: ReturnType<typeof fakeContext>, profile?: unknown): Promise<unknown> {
  const stated = profile === undefined ? {} : { profile };
  return Evaluate.create({ kind: 'Xmd.Evaluate', metadata: { name: 'e' }, ...stated }, ctx).invoke({ text: 'prose' });
}

describe('profiles', () => {
  const manifest = { kind: 'Xmd.Profile', metadata: { name: 'p' }, root: '.', grants: ['read'] };
  it('E18 none refuses, one is the one, several refuse until one is named, a torn-down one refuses', async () => {
    const ctx = fakeContext();
    await expect(evaluateIn(ctx)).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE', data: { reason: 'missing' } });
    const first = Profile.create(manifest, ctx);
    await expect(evaluateIn(ctx)).resolves.toEqual({ observations: [], output: 'prose' });
    const second = Profile.create(manifest, ctx);
    stampRefIdentity(second, 'Xmd.Profile', 'second');
    await expect(evaluateIn(ctx)).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE', data: { reason: 'ambiguous' } });
    await expect(evaluateIn(ctx, second)).resolves.toMatchObject({ output: 'prose' });
    second.teardown?.();
    await expect(evaluateIn(ctx, second)).rejects.toMatchObject({
      code: 'ERR_XMD_PROFILE',
      data: { reason: 'forged' },
    });
    await expect(evaluateIn(ctx)).resolves.toMatchObject({ output: 'prose' });
    first.teardown?.();
    await expect(evaluateIn(ctx)).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE', data: { reason: 'missing' } });
  });

  it('E18 a profile of another application does not count, and one that only looks like one refuses', async () => {
    const ctx = fakeContext();
    Profile.create(manifest, fakeContext({ moduleContext: { source: 'file:///other/telo.yaml' } }));
    await expect(evaluateIn(ctx)).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
    const forged = Object.assign(
      resource('Xmd.Profile', 'p', () => 0),
      { grants: ['read', 'write'], root: '/' },
    );
    await expect(evaluateIn(ctx, forged)).rejects.toMatchObject({
      code: 'ERR_XMD_PROFILE',
      data: { reason: 'forged' },
    });
  });

  it('E18 E13 nothing in the context is a profile, and nothing in it answers for Evaluate', async () => {
    const scene = new Scene({ files: { 'a.md': 'a' }, profile: { grants: ['read'] } });
    const run = new MemoryRun();
    const calls: string[] = [];
    const stranger = resource('Xmd.Evaluate', 'apply', () => calls.push('called'));
    const context = {
      ...durableContext(run.open(), 'steps/apply'),
      profile: { root: '/', grants: ['read', 'write'] },
      grants: ['read', 'write'],
      allow: ['read', 'write'],
      evaluate: stranger,
      Evaluate: stranger,
    };
    const process = scene.process();
    await expect(process.evaluate({ text: '<File path="b.md">b</File>' }, context)).rejects.toMatchObject({
      code: 'ERR_XMD_REFUSED',
    });
    await expect(
      process.evaluate({ text: '<Evaluate text="x" />' }, durableContext(new MemoryRun().open(), 'p')),
    ).rejects.toMatchObject({ data: { class: 'component' } });
    expect(run.keys()).toEqual(['steps/apply/generated_xmd']);
    expect(scene.calls).toEqual([]);
    const twin = { ...durableContext(new MemoryRun().open(), 'steps/apply'), profile: null };
    await expect(process.evaluate({ text: '<File path="a.md" />' }, twin)).resolves.toMatchObject({ output: 'a' });
    expect(calls).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no root', { root: undefined }],
    ['an empty grants', { grants: [] }],
    ['an unknown limit', { limits: { bytes: 1 } }],
    ['a limit past its ceiling', { limits: { depth: 257 } }],
    ['an unknown host', { host: 'other' }],
    ['an operation without a target', { operations: [{ name: 'Ask', form: 'paired', grant: 'read', revision: '1' }] }],
    ['a relative root beside no file', { root: 'x', source: 'https://example.org/telo.yaml' }],
  ])('EV-01 %s is no profile', (_name, { source, ...changes }) => {
    const ctx = fakeContext(typeof source === 'string' ? { moduleContext: { source } } : {});
    expect(() => Profile.create({ ...manifest, ...changes }, ctx)).toThrow(
      expect.objectContaining({ code: 'ERR_XMD_PROFILE' }),
    );
  });

  it.each(['Evaluate', 'File', 'Fetch', 'If', 'lower'])(
    'E13 an operation named %s refuses the profile',
    async (name) => {
      const scene = new Scene({ targets: { t: resource('T.K', 't', () => 1) } });
      const operation = { form: 'self-closing', grant: 'read', revision: '1', invoke: { kind: 'T.K', name: 't' } };
      const profile = { operations: [{ ...operation, name }] };
      expect(() => scene.process({ profile })).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
      const honest = { operations: [{ ...operation, name: 'Other' }] };
      await expect(scene.process({ profile: honest }).evaluate({ text: '<Other />' })).resolves.toMatchObject({
        observations: [{ name: 'Other', value: 1 }],
      });
    },
  );
});

describe('preflight', () => {
  it('EV-50 Xmd.Preflight says what would be done, and does and records nothing', async () => {
    const scene = new Scene({ files: { 'a.md': 'a' }, allow: ['read', 'write'] });
    const text = '<File path="a.md" /><Dir path="d"><File path="b.md">B</File></Dir>';

    const answer = await scene.process().preflight({ text });

    expect(answer).toEqual({
      version: 2,
      admitted: true,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}\.[0-9a-f]{64}$/),
      rendering: expect.stringContaining('b.md'),
      effects: [
        {
          name: 'File',
          form: 'self-closing',
          grant: 'read',
          path: 'xmd[0]/File',
          identity: { kind: 'standard', origin: 'Xmd', key: 'File:read', revision: '1' },
          input: { path: 'a.md' },
          target: { kind: 'read', path: 'a.md' },
        },
        expect.objectContaining({ name: 'Dir', path: 'xmd[1]/Dir', grant: 'write', input: { path: 'd' } }),
        expect.objectContaining({
          name: 'File',
          form: 'paired',
          path: 'xmd[1]/Dir/xmd[0]/File',
          input: { path: 'd/b.md' },
        }),
      ],
    });
    expect(await scene.process().preflight({ text, allow: ['read'] })).toEqual({
      version: 2,
      admitted: false,
      rendering: expect.stringMatching(/^Refused, .*\(component\)\.\n$/),
      refusal: { class: 'component', line: 1, column: 21 },
    });
    expect(scene.calls).toEqual([]);
    expect(scene.get('d/b.md')).toBeUndefined();
  });

  it('E2 judges inputs as Evaluate does; asked through an Evaluate, the text given stands in for its own', async () => {
    const scene = new Scene({ text: '<Nope />' });
    await expect(scene.process().preflight({ text: 'x' })).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
    await expect(scene.process().preflight({ allow: [] })).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
    expect(await scene.process().evaluateInstance.preflight({ text: 'x' })).toMatchObject({ admitted: true });
    expect(await scene.process().evaluateInstance.preflight({})).toMatchObject({ admitted: false });
  });
});
