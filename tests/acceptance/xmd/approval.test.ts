import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { digestOf, preflighted } from './approval-scene.ts';
import { rewrite, Scene, type SceneOptions } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const TEXT = '<File path="a.md">new a</File><File.Delete path="old.md" /><File path="b.md">new b</File>';
const OPTIONS: SceneOptions = { files: { 'a.md': 'a', 'old.md': 'old' }, allow: ['read', 'write'] };

const JOURNAL = [
  'steps/apply/generated_xmd',
  'steps/apply/generated_xmd/approval',
  'steps/apply/xmd[0]/File/before',
  'steps/apply/xmd[0]/File',
  'steps/apply/xmd[1]/File.Delete/before',
  'steps/apply/xmd[1]/File.Delete',
  'steps/apply/xmd[2]/File/before',
  'steps/apply/xmd[2]/File',
  'steps/apply/generated_xmd/outcome',
];
const REFUSED = JOURNAL.slice(0, 2);
const CHANGES = ['write a.md', 'remove old.md', 'write b.md'];
const DONE = { observations: [], output: '' };

function expectUntouched(scene: Scene, now: Readonly<Record<string, string | undefined>> = {}): void {
  expect(scene.calls).toEqual([]);
  const found = { 'a.md': scene.get('a.md'), 'old.md': scene.get('old.md'), 'b.md': scene.get('b.md') };
  expect(found).toEqual({ 'a.md': 'a', 'old.md': 'old', 'b.md': undefined, ...now });
}

function expectDone(scene: Scene): void {
  expect(scene.calls).toEqual(CHANGES);
  expect([scene.get('a.md'), scene.get('old.md'), scene.get('b.md')]).toEqual(['new a', undefined, 'new b']);
}

describe('an approval that holds', () => {
  it('AP-20 A-06 is recorded once ahead of the effects, and its pre-images are their before records', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    const approved = await digestOf(scene.process(), TEXT);

    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).resolves.toEqual(DONE);

    expect(run.keys()).toEqual(JOURNAL);
    expectDone(scene);
    expect(run.value('steps/apply/generated_xmd')).toMatchObject({ approved });
    expect(run.value('steps/apply/generated_xmd/approval')).toEqual({
      version: 1,
      decision: 'approved',
      targets: [
        {
          effect: 'xmd[0]/File',
          place: 'a.md',
          before: run.value('steps/apply/xmd[0]/File/before'),
          content: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        { effect: 'xmd[1]/File.Delete', place: 'old.md', before: run.value('steps/apply/xmd[1]/File.Delete/before') },
        {
          effect: 'xmd[2]/File',
          place: 'b.md',
          before: { absent: true },
          content: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
  });

  it('AP-02 A-06 the same evaluation without an approval records none, and neither does its admission', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    await scene.process().evaluateIn(run.open(), { text: TEXT });
    expect(run.keys()).toEqual(JOURNAL.filter((path) => !path.endsWith('/approval')));
    expect(run.value('steps/apply/generated_xmd')).not.toHaveProperty('approved');
  });

  it('AP-20 is the same with a handle that cannot say what is recorded', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun({ withRecorded: false });
    const approved = await digestOf(scene.process(), TEXT);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).resolves.toEqual(DONE);
    expect(run.keys()).toEqual(JOURNAL);
    expectDone(scene);
  });

  it.each(JOURNAL.map((path, write) => [write, path] as const))(
    'AP-22 a process that is killed at write %i (%s) resumes as without an approval',
    async (write) => {
      const scene = new Scene(OPTIONS);
      const run = new MemoryRun();
      const approved = await digestOf(scene.process(), TEXT);
      await expect(scene.process().evaluateIn(run.openKilledAt(write), { text: TEXT, approved })).rejects.toMatchObject(
        { code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' },
      );

      await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).resolves.toEqual(DONE);

      expect(run.keys()).toEqual(JOURNAL);
      expect(scene.calls.filter((call) => !call.startsWith('persist'))).toEqual(CHANGES);
      expect(scene.get('a.md')).toBe('new a');
    },
  );

  it('AP-22 a completed evaluation answers again, whatever became of the files', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    const approved = await digestOf(scene.process(), TEXT);
    await scene.process().evaluateIn(run.open(), { text: TEXT, approved });
    scene.put('a.md', 'by a person');

    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).resolves.toEqual(DONE);
    expect(scene.calls).toEqual(CHANGES);
    expect(scene.get('a.md')).toBe('by a person');
  });

  it('AP-24 holds outside a run, where nothing is recorded', async () => {
    const scene = new Scene(OPTIONS);
    const approved = await digestOf(scene.process(), TEXT);
    await expect(scene.process().evaluate({ text: TEXT, approved })).resolves.toEqual(DONE);
    expectDone(scene);
  });
});

type Move = (scene: Scene) => void;

const MOVES: Readonly<Record<string, { move: Move; back: Move; left?: Record<string, string | undefined> }>> = {
  edited: {
    move: (scene) => scene.put('a.md', 'edited'),
    back: (scene) => scene.put('a.md', 'a'),
    left: { 'a.md': 'edited' },
  },
  'given another mode': {
    move: (scene) => chmodSync(join(scene.folder, 'work/a.md'), 0o600),
    back: (scene) => chmodSync(join(scene.folder, 'work/a.md'), 0o644),
  },
  removed: {
    move: (scene) => scene.delete('old.md'),
    back: (scene) => scene.put('old.md', 'old'),
    left: { 'old.md': undefined },
  },
  created: {
    move: (scene) => scene.put('b.md', 'somebody else'),
    back: (scene) => scene.delete('b.md'),
    left: { 'b.md': 'somebody else' },
  },
  'replaced by a folder': {
    move: (scene) => mkdirSync(join(scene.folder, 'work/b.md')),
    back: (scene) => rmSync(join(scene.folder, 'work/b.md'), { recursive: true }),
  },
};

describe('a file that moved while a person thought', () => {
  it.each(Object.entries(MOVES))(
    'AP-21 one that was %s makes it stale, for good',
    async (name, { move, back, left }) => {
      const scene = new Scene(OPTIONS);
      chmodSync(join(scene.folder, 'work/a.md'), 0o644);
      const run = new MemoryRun();
      const approved = await digestOf(scene.process(), TEXT);
      move(scene);

      const stale = { code: 'ERR_XMD_APPROVAL_STALE', data: { reason: 'target-moved' } };
      await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject(stale);
      expect(run.keys()).toEqual(REFUSED);
      expect(run.value('steps/apply/generated_xmd/approval')).toEqual({
        version: 1,
        decision: 'refused',
        reason: 'target-moved',
      });
      if (name !== 'replaced by a folder') expectUntouched(scene, left);
      expect(scene.calls).toEqual([]);

      // A replay answers the same, although the file is back.
      back(scene);
      await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject(stale);
      expect(run.keys()).toEqual(REFUSED);
      expectUntouched(scene);

      // The twin: the same approval in a run that meets the files as they were approved.
      chmodSync(join(scene.folder, 'work/a.md'), 0o644);
      await expect(scene.process().evaluateIn(new MemoryRun().open(), { text: TEXT, approved })).resolves.toEqual(DONE);
      expectDone(scene);
    },
  );

  it('AP-12 a link on the way that leads to another file just like it makes it stale', async () => {
    const scene = new Scene({ ...OPTIONS, files: { 'one/a.md': 'a', 'two/a.md': 'a' } });
    const [link, one, two] = ['link', 'one', 'two'].map((name) => join(scene.folder, 'work', name));
    if (link === undefined || one === undefined || two === undefined) throw new Error('three names');
    const text = '<File path="link/a.md">new</File>';
    symlinkSync('one', link);
    const approved = await digestOf(scene.process(), text);
    rmSync(link);
    symlinkSync('two', link);
    await expect(scene.process().evaluateIn(new MemoryRun().open(), { text, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_APPROVAL_STALE',
    });
    expect(scene.calls).toEqual([]);

    rmSync(link);
    renameSync(one, join(scene.folder, 'work/elsewhere'));
    renameSync(join(scene.folder, 'work/elsewhere'), one);
    symlinkSync('one', link);
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect([scene.get('one/a.md'), scene.get('two/a.md')]).toEqual(['new', 'a']);
  });

  it('AP-31 one that moved between the check and its effect is a conflict, also for later attempts', async () => {
    const { scene, run, approved } = await approvedUpTo(2);
    scene.put('old.md', 'edited');

    const conflict = { code: 'ERR_XMD_CONFLICT', data: { effect: 'steps/apply/xmd[1]/File.Delete', path: 'old.md' } };
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject(conflict);
    expect(scene.get('old.md')).toBe('edited');
    expect(scene.get('b.md')).toBeUndefined();
    await expect(
      scene.process().evaluateIn(run.open(), { text: TEXT, approved }, { attempt: 1 }),
    ).rejects.toMatchObject(conflict);
    expect(scene.calls).toEqual(['write a.md']);

    // The twin: put back as it was approved, the next attempt goes on.
    scene.put('old.md', 'old');
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved }, { attempt: 2 })).resolves.toEqual(
      DONE,
    );
    expect(scene.calls).toEqual(CHANGES);
  });

  it('AP-31 the same edit without an approval is nobody’s business', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    await killedAt(scene, run, { text: TEXT }, 1);
    scene.put('old.md', 'edited');
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toEqual(DONE);
    expectDone(scene);
  });

  it('AP-31 outside a run, too: what an effect of the fragment itself changes is told from what anyone else does', async () => {
    const meddling = resource('Local.Meddle', 'meddle', () => {
      scene.put('b.md', 'somebody else');
      return null;
    });
    const operations = [
      {
        name: 'Meddle',
        form: 'self-closing',
        grant: 'read',
        invoke: { kind: 'Local.Meddle', name: 'meddle' },
        revision: '1',
      },
    ];
    const scene = new Scene({ ...OPTIONS, profile: { operations }, targets: { meddle: meddling } });
    const text = '<Meddle /><File path="b.md">B</File>';
    const approved = await digestOf(scene.process(), text);
    await expect(scene.process().evaluate({ text, approved })).rejects.toMatchObject({ code: 'ERR_XMD_CONFLICT' });
    expect(scene.get('b.md')).toBe('somebody else');
    await expect(scene.process().evaluate({ text })).resolves.toMatchObject({ output: '' });
    expect(scene.get('b.md')).toBe('B');
  });
});

async function killedAt(scene: Scene, run: MemoryRun, inputs: unknown, write: number): Promise<void> {
  await expect(scene.process().evaluateIn(run.openKilledAt(write), inputs)).rejects.toMatchObject({
    code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
  });
}

/** A run that was killed at one of its writes, under an approval. */
async function approvedUpTo(write: number): Promise<{ scene: Scene; run: MemoryRun; approved: string }> {
  const scene = new Scene(OPTIONS);
  const run = new MemoryRun();
  const approved = await digestOf(scene.process(), TEXT);
  await killedAt(scene, run, { text: TEXT, approved }, write);
  return { scene, run, approved };
}

describe('an approval of something else', () => {
  const OTHER: Readonly<Record<string, { text?: string; changes?: Partial<SceneOptions> }>> = {
    'another text': { text: `${TEXT} ` },
    'another allow': { changes: { allow: ['write'] } },
    'another limit of the profile': { changes: { profile: { limits: { elements: 7 } } } },
    'another root as written': { changes: { profile: { root: 'work' } } },
    'other path limits': { changes: { profile: { paths: { write: { allow: ['**'] } } } } },
  };

  it.each(Object.entries(OTHER))(
    'AP-21 %s is a mismatch, before any effect',
    async (_name, { text = TEXT, changes }) => {
      const scene = new Scene(OPTIONS);
      const run = new MemoryRun();
      const approved = await digestOf(scene.process(changes), text);

      const mismatch = { code: 'ERR_XMD_APPROVAL_MISMATCH', data: { reason: 'other-statement' } };
      await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject(mismatch);
      await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject(mismatch);
      expect(run.keys()).toEqual(REFUSED);
      expectUntouched(scene);
      await expect(scene.process().evaluate({ text: TEXT, approved })).rejects.toMatchObject(mismatch);
      expectUntouched(scene);

      // The twin: under the policy that was approved, the same approval of the same text holds.
      await expect(
        scene.process(changes).evaluateIn(new MemoryRun().open(), { text, approved }),
      ).resolves.toMatchObject({
        observations: [],
      });
      expectDone(scene);
    },
  );

  it('AP-21 an operation of the host of another revision is a mismatch, and is not called', async () => {
    const calls: string[] = [];
    const one = resource('Local.Tell', 'tell', () => calls.push('told'));
    const tell = (revision: string): Partial<SceneOptions> => ({
      profile: {
        operations: [
          { name: 'Tell', form: 'self-closing', grant: 'read', invoke: { kind: 'Local.Tell', name: 'tell' }, revision },
        ],
      },
      targets: { tell: one },
    });
    const scene = new Scene({ ...OPTIONS, ...tell('1') });
    const text = '<Tell />';
    const approved = await digestOf(scene.process(), text);
    await expect(scene.process(tell('2')).evaluateIn(new MemoryRun().open(), { text, approved })).rejects.toMatchObject(
      { code: 'ERR_XMD_APPROVAL_MISMATCH' },
    );
    expect(calls).toEqual([]);
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect(calls).toEqual(['told']);
  });

  it.each([
    ['no string', 5],
    ['null', null],
    ['undefined, but stated', undefined],
    ['a digest of another shape', `sha256:${'0'.repeat(64)}`],
    ['capitals', `sha256:${'A'.repeat(64)}.${'0'.repeat(64)}`],
  ])('AP-01 what is %s is refused as input: no record, nothing claimed', async (_name, approved) => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    const handle = run.open();
    const process = scene.process();
    await expect(process.evaluateIn(handle, { text: TEXT, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_INPUT',
      data: { reason: 'approved' },
    });
    expect(run.keys()).toEqual([]);
    expectUntouched(scene);
    const holds = await digestOf(scene.process(), TEXT);
    await expect(process.evaluateIn(handle, { text: TEXT, approved: holds })).resolves.toEqual(DONE);
  });

  it('AP-23 a run goes on under the approval it was admitted under, and under no other and not without one', async () => {
    const { scene, run, approved } = await approvedUpTo(1);
    const another = `sha256:${'0'.repeat(64)}.${approved.slice(-64)}`;
    const changed = {
      code: 'ERR_XMD_APPROVAL_MISMATCH',
      data: { reason: 'approval-changed', resumable: true },
    };
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).rejects.toMatchObject(changed);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved: another })).rejects.toMatchObject(
      changed,
    );
    expect(run.keys()).toEqual(['steps/apply/generated_xmd']);
    expectUntouched(scene);

    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).resolves.toEqual(DONE);
    expectDone(scene);
  });

  it('AP-23 one that is stated of a run admitted without any is refused', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    const approved = await digestOf(scene.process(), TEXT);
    await killedAt(scene, run, { text: TEXT }, 1);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_APPROVAL_MISMATCH',
      data: { resumable: true },
    });
    expectUntouched(scene);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT })).resolves.toEqual(DONE);
  });
});

describe('one approval counts once', () => {
  const text = '<Tell />';

  it('AP-25 a second occurrence at the same path is refused, and the call is not made again', async () => {
    const calls: string[] = [];
    const scene = new Scene({
      ...OPTIONS,
      profile: {
        operations: [
          {
            name: 'Tell',
            form: 'self-closing',
            grant: 'read',
            invoke: { kind: 'Local.Tell', name: 'tell' },
            revision: '1',
          },
        ],
      },
      targets: { tell: resource('Local.Tell', 'tell', () => calls.push('told')) },
    });
    const run = new MemoryRun();
    const approved = await digestOf(scene.process(), text);
    const twice = async (): Promise<void> => {
      const process = scene.process();
      const handle = run.open();
      await process.evaluateIn(handle, { text, approved });
      await process.evaluateIn(handle, { text, approved });
    };
    const used = { code: 'ERR_XMD_APPROVAL_STALE', data: { reason: 'used' } };
    await expect(twice()).rejects.toMatchObject(used);
    await expect(twice()).rejects.toMatchObject(used);
    expect(calls).toEqual(['told']);
    expect(run.keys().slice(-2)).toEqual([
      'steps/apply/occurrence[1]/generated_xmd',
      'steps/apply/occurrence[1]/generated_xmd/approval',
    ]);

    // The twin: without an approval each occurrence calls.
    const process = scene.process();
    const handle = new MemoryRun().open();
    await process.evaluateIn(handle, { text });
    await process.evaluateIn(handle, { text });
    expect(calls).toHaveLength(3);
  });
});

describe('a record of an approval', () => {
  const AT = 'steps/apply/generated_xmd/approval';

  it.each<[string, (record: Record<string, unknown>) => unknown]>([
    ['another version', (record) => ({ ...record, version: 2 })],
    ['a member more', (record) => ({ ...record, more: 1 })],
    ['another decision', (record) => ({ ...record, decision: 'maybe' })],
    [
      'one target less',
      ({ targets, ...record }) => ({ ...record, targets: Array.isArray(targets) ? targets.slice(1) : [] }),
    ],
    ['no targets', (record) => ({ ...record, targets: [] })],
    ['another pre-image', (record) => JSON.parse(JSON.stringify(record).replace(/"sha256":"[0-9a-f]/, '"sha256":"g'))],
    ['another mode', (record) => JSON.parse(JSON.stringify(record).replace(/"mode":\d+/, '"mode":1'))],
    [
      'another content',
      (record) => JSON.parse(JSON.stringify(record).replace(/"content":"[0-9a-f]{64}/, `"content":"${'0'.repeat(64)}`)),
    ],
    ['a refusal of another reason', () => ({ version: 1, decision: 'refused', reason: 'because' })],
    ['no object', () => 'approved'],
  ])('E7 with %s refuses before any effect, and the unmodified one resumes', async (_name, change) => {
    const { scene, run, approved } = await approvedUpTo(2);
    const unmodified = run.entries.get(AT);
    rewrite(run, AT, change);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_RECORD_UNREADABLE',
      data: { path: AT, resumable: true },
    });
    expect(run.keys()).toEqual(REFUSED);
    expectUntouched(scene);

    if (unmodified !== undefined) run.entries.set(AT, unmodified);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).resolves.toEqual(DONE);
    expectDone(scene);
  });

  it('E7 an admission whose approval was taken out, or put in, refuses', async () => {
    const { scene, run, approved } = await approvedUpTo(2);
    const unmodified = run.entries.get('steps/apply/generated_xmd');
    rewrite(run, 'steps/apply/generated_xmd', ({ approved: _approved, ...record }) => record);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_APPROVAL_MISMATCH',
    });
    rewrite(run, 'steps/apply/generated_xmd', (record) => ({ ...record, approved: 5 }));
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_RECORD_UNREADABLE',
    });
    expectUntouched(scene);
    if (unmodified !== undefined) run.entries.set(unmodified.path, unmodified);
    await expect(scene.process().evaluateIn(run.open(), { text: TEXT, approved })).resolves.toEqual(DONE);
  });
});

describe('files that several effects of one fragment change', () => {
  it('AP-13 a later effect finds what the earlier one leaves, and every kill resumes', async () => {
    const text =
      '<File path="a.md">1</File><File path="a.md">2</File><File.Delete path="a.md" /><File path="a.md">3</File>';
    const scene = new Scene(OPTIONS);
    const approved = await digestOf(scene.process(), text);
    const reference = new MemoryRun();
    await scene.process().evaluateIn(reference.open(), { text, approved });
    const writes = reference.counts.writes;
    expect(writes).toBe(11);
    for (let write = 0; write < writes; write += 1) {
      scene.put('a.md', 'a');
      const run = new MemoryRun();
      const before = scene.calls.length;
      await killedAt(scene, run, { text, approved }, write);
      await expect(scene.process().evaluateIn(run.open(), { text, approved })).resolves.toEqual(DONE);
      const calls = scene.calls.slice(before).filter((call) => !call.startsWith('persist'));
      expect(calls).toEqual(['write a.md', 'write a.md', 'remove a.md', 'write a.md']);
      expect(scene.get('a.md')).toBe('3');
      expect(run.keys()).toEqual(reference.keys());
    }
    expect(reference.value('steps/apply/generated_xmd/approval')).toMatchObject({
      targets: [
        {},
        { before: { after: 'xmd[0]/File' } },
        { before: { after: 'xmd[1]/File' } },
        { before: { after: 'xmd[2]/File.Delete' } },
      ],
    });
  });

  it('AP-31 an edit between two of them is a conflict', async () => {
    const text = '<File path="a.md">1</File><File path="a.md">2</File>';
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    const approved = await digestOf(scene.process(), text);
    await killedAt(scene, run, { text, approved }, 4);
    scene.put('a.md', 'edited');
    await expect(scene.process().evaluateIn(run.open(), { text, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_CONFLICT',
      data: { effect: 'steps/apply/xmd[1]/File' },
    });
    expect(scene.get('a.md')).toBe('edited');
    scene.put('a.md', '1');
    await scene.process().evaluateIn(run.open(), { text, approved }, { attempt: 1 });
    expect(scene.get('a.md')).toBe('2');
  });

  it('AP-13 two paths to one file through a link count as one file', async () => {
    const scene = new Scene({ ...OPTIONS, files: { 'dir/a.md': 'a' } });
    symlinkSync('dir', join(scene.folder, 'work/link'));
    const text = '<File path="link/a.md">1</File><File path="dir/a.md">2</File>';
    const { digest: approved, rendering } = await preflighted(scene.process(), { text });
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect(scene.get('dir/a.md')).toBe('2');
    expect(rendering).toContain('1. write "link/a.md" (that is "dir/a.md")\n');
    expect(rendering).toContain('2. write "dir/a.md"\n--- dir/a.md\n+++ dir/a.md\n@@ -1 +1 @@\n-1\n');
  });
});

describe('content that is made of what a read answers', () => {
  const text = '<File path="c.md">copy: <File path="a.md" /></File>';

  it('AP-14 is approved as it would be now, and another content is stale', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    const { digest: approved, rendering } = await preflighted(scene.process(), { text });
    expect(rendering).toContain('+copy: a\n');
    scene.put('a.md', 'b');
    await expect(scene.process().evaluateIn(run.open(), { text, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_APPROVAL_STALE',
    });
    expect(scene.calls).toEqual([]);
    scene.put('a.md', 'a');
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect(scene.get('c.md')).toBe('copy: a');
  });

  it('AP-32 a source that changes after the check is a conflict: nothing else than what was approved is written', async () => {
    const scene = new Scene(OPTIONS);
    const run = new MemoryRun();
    const approved = await digestOf(scene.process(), text);
    await killedAt(scene, run, { text, approved }, 2);
    scene.put('a.md', 'b');
    await expect(scene.process().evaluateIn(run.open(), { text, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_CONFLICT',
      data: { path: 'c.md' },
    });
    expect(scene.get('c.md')).toBeUndefined();
  });

  it('AP-14 a read of what the fragment wrote itself is known beforehand', async () => {
    const scene = new Scene(OPTIONS);
    const chained = '<File path="a.md">A</File><File path="c.md"><File path="a.md" /></File>';
    const { digest: approved, rendering } = await preflighted(scene.process(), { text: chained });
    expect(rendering).toContain('+A\n\\ No newline at end of file\n');
    await scene.process().evaluateIn(new MemoryRun().open(), { text: chained, approved });
    expect(scene.get('c.md')).toBe('A');
  });

  it('AP-14 what an operation will answer is not known: the rendering says so, and the approval leaves it open', async () => {
    const answers = ['first', 'second'];
    const scene = new Scene({
      ...OPTIONS,
      profile: {
        operations: [
          {
            name: 'Ask',
            form: 'self-closing',
            grant: 'read',
            invoke: { kind: 'Local.Ask', name: 'ask' },
            revision: '1',
          },
        ],
      },
      targets: { ask: resource('Local.Ask', 'ask', () => answers.shift()) },
    });
    const open = '<File path="c.md">+ <Ask /></File>';
    const { digest: approved, rendering } = await preflighted(scene.process(), { text: open });
    expect(rendering).toBe(
      '1. Ask calls Local.Ask/ask\n' +
        '2. write "c.md", of which a part is not known before\n++ \n\\ No newline at end of file\n? what xmd[0]/File/xmd[0]/Ask answers\n',
    );
    await scene.process().evaluateIn(new MemoryRun().open(), { text: open, approved });
    expect(scene.get('c.md')).toBe('+ first');
  });
});

it('AP-11 what is no regular file is told, not thrown, and the effect fails as it always does', async () => {
  const scene = new Scene(OPTIONS);
  mkdirSync(join(scene.folder, 'work/folder'));
  writeFileSync(join(scene.folder, 'work/target.md'), 't');
  symlinkSync('target.md', join(scene.folder, 'work/link.md'));
  const text =
    '<File path="link.md">x</File><File.Delete path="folder" /><Dir path="a.md"></Dir><File path="none.md" />';
  const answer = await preflighted(scene.process(), { text });
  expect(answer.effects.map(({ problem }) => problem)).toEqual([
    'symbolic-link',
    'directory',
    'not-directory',
    'missing',
  ]);
  expect(answer.rendering).toContain('   Not possible as it is now. Cannot write "link.md": it is a symbolic link');
  const run = new MemoryRun();
  await expect(scene.process().evaluateIn(run.open(), { text, approved: answer.digest })).rejects.toMatchObject({
    code: 'ERR_XMD_EFFECT',
    data: { reason: 'symbolic-link' },
  });
  expect(scene.calls).toEqual([]);
});
