import { describe, expect, it, vi } from 'vitest';
import { resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { rewrite, Scene, type SceneOptions } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const TEXT = '<File path="a.md" /><Ask /><File path="b.md">B</File>';

/** A run that admitted TEXT and performed nothing yet, and the processes that could go on with it. */
function admitted(): { run: MemoryRun; scene: Scene; asked: string[]; base: SceneOptions } {
  const asked: string[] = [];
  const target = (name: string, module = 'App') =>
    resource('Local.Ask', name, () => `${asked.push(name)} asked`, module);
  const base: SceneOptions = {
    files: { 'a.md': 'a' },
    allow: ['read', 'write'],
    profile: { operations: [ask('one')] },
    targets: { one: target('one'), two: target('two'), foreign: target('one', 'Elsewhere') },
  };
  return { run: new MemoryRun(), scene: new Scene(base), asked, base };
}

function ask(name: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const invoke = { kind: 'Local.Ask', name };
  return { name: 'Ask', form: 'self-closing', grant: 'read', invoke, revision: '1', ...changes };
}

/** Kills the first process right behind its admission. */
async function admitOnly(scene: Scene, run: MemoryRun): Promise<void> {
  await expect(scene.process().evaluateIn(run.openKilledAt(1), { text: TEXT })).rejects.toMatchObject({
    code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
  });
  expect(run.keys()).toEqual(['steps/apply/generated_xmd']);
}

const MOVED: Readonly<Record<string, { changes: (base: SceneOptions) => Partial<SceneOptions>; changed: string }>> = {
  'allow narrowed': { changes: () => ({ allow: ['read'] }), changed: 'allow' },
  'another target': { changes: () => ({ profile: { operations: [ask('two')] } }), changed: 'allowed' },
  'a target of another module': { changes: () => ({ profile: { operations: [ask('foreign')] } }), changed: 'allowed' },
  'another revision': {
    changes: () => ({ profile: { operations: [ask('one', { revision: '2' })] } }),
    changed: 'allowed',
  },
  'another form': {
    changes: () => ({ profile: { operations: [ask('one', { form: 'paired' })] } }),
    changed: 'allowed',
  },
  'another grant': {
    changes: () => ({ profile: { operations: [ask('one', { grant: 'write', inDoubt: 'refuse' })] } }),
    changed: 'allowed',
  },
  'one entry more': {
    changes: () => ({ profile: { operations: [ask('one'), ask('two', { name: 'Tell' })] } }),
    changed: 'allowed',
  },
  'another limit': {
    changes: (base) => ({ profile: { ...base.profile, limits: { elements: 999 } } }),
    changed: 'limits',
  },
  'another root': { changes: (base) => ({ profile: { ...base.profile, root: 'work' } }), changed: 'root' },
  'props that no longer admit it': {
    changes: () => ({
      profile: { operations: [ask('one', { props: { type: 'object', required: ['to'] } })] },
    }),
    changed: 'elements',
  },
};

describe('a run that goes on under another policy', () => {
  it.each(Object.entries(MOVED))(
    'R5 %s refuses before any read, write or call',
    async (_name, { changes, changed }) => {
      const { run, scene, asked, base } = admitted();
      await admitOnly(scene, run);
      const calls = scene.calls.length;

      await expect(scene.process(changes(base)).evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
        code: 'ERR_XMD_POLICY_CHANGED',
        data: { resumable: true, changed },
      });
      expect(run.keys()).toEqual(['steps/apply/generated_xmd']);
      expect(scene.calls).toHaveLength(calls);
      expect(asked).toEqual([]);

      // The twin: the old policy is back.
      await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toEqual({
        observations: [
          { name: 'File', value: 'a' },
          { name: 'Ask', value: '1 asked' },
        ],
        output: 'a1 asked',
      });
    },
  );

  it('R5 resumes when a table moved that allow did not select', async () => {
    const scene = new Scene({ files: { 'a.md': 'a' }, targets: { one: resource('Local.Ask', 'one', () => 1) } });
    const run = new MemoryRun();
    const text = '<File path="a.md" />';
    await expect(scene.process().evaluateIn(run.openKilledAt(1), { text })).rejects.toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    });
    const moved = { profile: { operations: [ask('one', { grant: 'write', inDoubt: 'refuse' })] } };

    await expect(scene.process(moved).evaluateIn(run.open(), { text })).resolves.toMatchObject({ output: 'a' });
  });

  it('R5 resumes with allow stated in another order, and with the grants of the profile widened', async () => {
    const { run, scene, base } = admitted();
    await admitOnly(scene, run);

    const swapped = scene.process({ ...base, allow: ['write', 'read'] });

    await expect(swapped.evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({ output: 'a1 asked' });
  });

  it('EV-26 compares again when everything had been performed, too', async () => {
    const { run, scene, base } = admitted();
    await scene.process().evaluateIn(run.open(), { text: TEXT });

    await expect(
      scene.process({ ...base, allow: ['read'] }).evaluateIn(run.open(), { text: TEXT }),
    ).rejects.toMatchObject({ code: 'ERR_XMD_POLICY_CHANGED' });
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({ output: 'a1 asked' });
  });

  it.each<[string, (policy: Record<string, unknown>) => unknown]>([
    ['allow', (policy) => ({ ...policy, allow: ['read'] })],
    ['an identity', (policy) => JSON.parse(JSON.stringify(policy).replace('"File:read"', '"File:peek"'))],
    ['a limit', (policy) => JSON.parse(JSON.stringify(policy).replace('"elements":1000', '"elements":2000'))],
    ['the root', (policy) => ({ ...policy, root: '/' })],
    [
      'a revision',
      (policy) =>
        JSON.parse(JSON.stringify(policy).replace('Local.Ask/one","revision":"1"', 'Local.Ask/one","revision":"2"')),
    ],
  ])('R8 a record in which %s moved writes nothing, and the unmoved one resumes', async (_name, move) => {
    const { run, scene, asked } = admitted();
    await admitOnly(scene, run);
    const unmoved = run.entries.get('steps/apply/generated_xmd');
    const calls = scene.calls.length;
    rewrite(run, 'steps/apply/generated_xmd', (record) => {
      const { policy } = record;
      return { ...record, policy: move(Object.fromEntries(Object.entries(policy ?? {}))) };
    });

    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject({
      code: 'ERR_XMD_POLICY_CHANGED',
    });
    expect(scene.calls).toHaveLength(calls);
    expect(asked).toEqual([]);
    expect(scene.get('b.md')).toBeUndefined();
    expect(run.keys()).toEqual(['steps/apply/generated_xmd']);

    if (unmoved !== undefined) run.entries.set(unmoved.path, unmoved);
    await scene.process().evaluateIn(run.open(), { text: TEXT });
    expect(scene.get('b.md')).toBe('B');
  });

  it('E6 refuses another text with a code of its own, and goes on with the admitted one', async () => {
    const { run, scene } = admitted();
    await admitOnly(scene, run);

    await expect(scene.process().evaluateIn(run.open(), { text: `${TEXT} ` })).rejects.toMatchObject({
      code: 'ERR_XMD_TEXT_CHANGED',
      data: { resumable: true },
    });
    expect(run.keys()).toEqual(['steps/apply/generated_xmd']);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toMatchObject({ output: 'a1 asked' });
  });

  it('E9 an operation keeps its identity over a move to another folder, and its key and origin are on record', async () => {
    const { run, scene } = admitted();
    await scene.process().evaluateIn(run.open(), { text: TEXT });

    expect(run.value('steps/apply/generated_xmd')).toMatchObject({
      policy: { root: './work', allowed: { 1: { identity: { kind: 'host', origin: 'App', key: 'Local.Ask/one' } } } },
    });
    expect(run.entries.get('steps/apply/xmd[1]/Ask')?.target).toEqual({
      kind: 'Local.Ask',
      name: 'one',
      module: 'App',
    });
    expect(JSON.stringify([...run.entries.values()])).not.toContain(scene.folder);
  });
});
