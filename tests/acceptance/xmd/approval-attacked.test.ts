import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { digestOf, preflighted } from './approval-scene.ts';
import { Scene, type SceneOptions } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const MIB = 1_048_576;

function link(scene: Scene, name: string, target: string): void {
  rmSync(join(scene.folder, 'work', name), { force: true });
  symlinkSync(target, join(scene.folder, 'work', name));
}

/** A host operation that does something to the folder, between two changes of a fragment. */
function meddling(meddle: () => void): SceneOptions {
  return {
    allow: ['read', 'write'],
    files: { 'one/a.md': 'a', 'two/a.md': 'a' },
    profile: {
      operations: [
        { name: 'Meddle', form: 'self-closing', grant: 'read', invoke: { kind: 'Local.M', name: 'm' }, revision: '1' },
      ],
    },
    targets: {
      m: resource('Local.M', 'm', () => {
        meddle();
        return null;
      }),
    },
  };
}

describe('a link that is turned while an approved fragment is performed', () => {
  it.each([
    ['a write over a file just like it', '<File path="link/a.md">new</File>'],
    ['a write of a new file', '<File path="link/b.md">new</File>'],
    ['a removal of a file just like it', '<File.Delete path="link/a.md" />'],
  ])('AP-33 AP-31 %s is a conflict, and nothing is changed where it leads now', async (_name, change) => {
    let turn = true;
    const scene: Scene = new Scene(
      meddling(() => {
        if (turn) link(scene, 'link', 'two');
      }),
    );
    const text = `<Meddle />${change}`;
    for (const evaluate of [
      (approved: string) => scene.process().evaluateIn(new MemoryRun().open(), { text, approved }),
      (approved: string) => scene.process().evaluate({ text, approved }),
    ]) {
      link(scene, 'link', 'one');
      const approved = await digestOf(scene.process(), text);
      await expect(evaluate(approved)).rejects.toMatchObject({ code: 'ERR_XMD_CONFLICT' });
    }
    expect(scene.calls).toEqual([]);
    expect([scene.get('one/a.md'), scene.get('two/a.md'), scene.get('two/b.md')]).toEqual(['a', 'a', undefined]);

    // The twin: a link that stays.
    turn = false;
    link(scene, 'link', 'one');
    const approved = await digestOf(scene.process(), text);
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect(scene.calls).toHaveLength(1);
    expect(scene.get('two/a.md')).toBe('a');
  });

  it('AP-33 a resumed run meets it too, and goes on once the link is back', async () => {
    const scene = new Scene(meddling(() => undefined));
    link(scene, 'link', 'one');
    const text = '<File path="link/b.md">new</File>';
    const approved = await digestOf(scene.process(), text);
    const run = new MemoryRun();
    await expect(scene.process().evaluateIn(run.openKilledAt(3), { text, approved })).rejects.toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    });
    link(scene, 'link', 'two');
    await expect(scene.process().evaluateIn(run.open(), { text, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_CONFLICT',
    });
    expect(scene.get('two/b.md')).toBeUndefined();
    link(scene, 'link', 'one');
    await scene.process().evaluateIn(run.open(), { text, approved }, { attempt: 1 });
    expect(scene.calls.filter((call) => call.startsWith('write'))).toEqual(['write link/b.md']);
  });

  it('AP-12 where folders are missing behind a link, the place is approved all the same', async () => {
    const scene = new Scene(meddling(() => undefined));
    link(scene, 'link', 'one');
    const text = '<File path="link/new/deep/b.md">new</File>';
    const { digest: approved, rendering } = await preflighted(scene.process(), { text });
    expect(rendering).toContain('1. write "link/new/deep/b.md" (that is "one/new/deep/b.md"), a new file\n');
    link(scene, 'link', 'two');
    await expect(scene.process().evaluateIn(new MemoryRun().open(), { text, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_APPROVAL_STALE',
    });
    expect(scene.calls).toEqual([]);
    link(scene, 'link', 'one');
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect(scene.get('one/new/deep/b.md')).toBe('new');
  });

  it('AP-33 a folder that the fragment makes first, and one that is exchanged for one like it, are no turns', async () => {
    const scene = new Scene(meddling(() => undefined));
    link(scene, 'link', 'one');
    link(scene, 'hanging', 'made/later');
    mkdirSync(join(scene.folder, 'work/made'));
    const text =
      '<Dir path="link/new"><File path="b.md">b</File></Dir><Dir path="made/later"></Dir><File path="hanging/c.md">c</File>';
    const approved = await digestOf(scene.process(), text);
    renameSync(join(scene.folder, 'work/one'), join(scene.folder, 'work/old'));
    mkdirSync(join(scene.folder, 'work/one'));
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect([scene.get('one/new/b.md'), scene.get('made/later/c.md')]).toEqual(['b', 'c']);
  });
});

describe('sizes that are meant to stop the check', () => {
  const allow = ['read', 'write'];

  it('AP-14 AP-11 files made of one another do not double without end, neither for the check nor for the comparison', async () => {
    const scene = new Scene({ allow });
    const doubled = Array.from(
      { length: 60 },
      (_, index) => `<File path="f${index + 1}"><File path="f${index}" /><File path="f${index}" /></File>`,
    );
    const text = `<File path="f0">${'x'.repeat(1_000)}</File>${doubled.join('')}`;
    const answer = await preflighted(scene.process(), { text });
    expect(answer.rendering.length).toBeLessThan(16 * MIB);
    expect(answer.effects.find(({ problem }) => problem !== undefined)).toMatchObject({
      target: { path: 'f11' },
      problem: 'too-large',
    });
    expect(answer.rendering).toMatch(/\? what xmd\[12\]\/File\/xmd\[0\]\/File answers\n/);
    await expect(
      scene.process().evaluateIn(new MemoryRun().open(), { text, approved: answer.digest }),
    ).rejects.toMatchObject({ code: 'ERR_XMD_EFFECT', data: { reason: 'too-large' } });
    expect(scene.calls).not.toContain('write f11');
    // What one evaluation reads is what the check knows: eight copies of a million bytes, and the rest is open.
    const copies = Array.from({ length: 10 }, (_, index) => `<File path="c${index}"><File path="big" /></File>`);
    const many = `<File path="big">${'x'.repeat(1_000_000)}</File>${copies.join('')}`;
    expect((await preflighted(scene.process(), { text: many })).rendering.match(/\? what .*/g)).toEqual([
      '? what xmd[9]/File/xmd[0]/File answers',
      '? what xmd[10]/File/xmd[0]/File answers',
    ]);
  });

  it('AP-16 a file of 64 MiB is named where limits allow it, and one of 8 MiB of control characters is shown', async () => {
    const limits = { fileBytes: 64 * MIB, resultBytes: 64 * MIB };
    const scene = new Scene({ allow, files: { large: '', small: '' }, profile: { limits } });
    truncateSync(join(scene.folder, 'work/large'), 64 * MIB);
    truncateSync(join(scene.folder, 'work/small'), 2 * MIB);
    const text = '<File.Delete path="large" /><File.Delete path="small" />';
    const { rendering, digest: approved } = await preflighted(scene.process(), { text });
    expect(rendering.slice(0, 100)).toContain(
      `1. delete "large"\n   What is there now is not shown: ${64 * MIB} bytes, more than is shown.\n`,
    );
    expect(rendering.split(String.raw`\u0000`)).toHaveLength(2 * MIB + 1);
    await scene.process().evaluateIn(new MemoryRun().open(), { text, approved });
    expect(scene.calls).toEqual(['remove large', 'remove small']);
    // The twin for copies: what a rendering has no room for is named, and what stands in the fragment never is.
    scene.put('large', 'x'.repeat(9 * MIB));
    const copies = '<File path="copy"><File path="large" /></File><File path="own">own</File>';
    const shown = (await preflighted(scene.process(), { text: copies })).rendering;
    expect(shown).toContain(`   What would be written is not shown: ${9 * MIB} bytes, more than is shown.\n`);
    expect(shown).toContain('+own\n');
  }, 60_000);
});

describe('where an approval has no record to stand in', () => {
  const OPTIONS: SceneOptions = { files: { 'a.md': 'a' }, allow: ['read', 'write'] };
  const text = '<File path="a.md">new</File>';
  const zones = { region: { idempotent: 'harmless' } };

  it('AP-24 in a collapsed region it is compared before any effect, at each entry, and nothing is recorded', async () => {
    const scene = new Scene(OPTIONS);
    const approved = await digestOf(scene.process(), text);
    const run = new MemoryRun();
    const enter = (stated: string, body = text): Promise<unknown> => {
      const process = scene.process({ zones });
      return process.ctx.withZone(
        'region',
        (zoned) => process.evaluate({ text: body, approved: stated }, zoned),
        durableContext(run.open(), 'steps/apply'),
      );
    };
    await expect(enter(approved, `${text} `)).rejects.toMatchObject({ code: 'ERR_XMD_APPROVAL_MISMATCH' });
    scene.put('a.md', 'edited');
    await expect(enter(approved)).rejects.toMatchObject({ code: 'ERR_XMD_APPROVAL_STALE' });
    expect(scene.calls).toEqual([]);
    scene.put('a.md', 'a');
    await expect(enter(approved)).resolves.toEqual({ observations: [], output: '' });
    expect(scene.calls).toEqual(['write a.md']);
    await expect(enter(approved)).rejects.toMatchObject({ code: 'ERR_XMD_APPROVAL_STALE' });
    expect(scene.calls).toEqual(['write a.md']);
    expect(run.keys()).toEqual([]);
    expect(run.zoneModes.map(({ mode }) => mode)).toEqual(['collapsed', 'collapsed', 'collapsed', 'collapsed']);
  });

  it('AP-23 one that is stated of a record of version 1 is refused before any effect, and the run stays resumable', async () => {
    const scene = new Scene({ ...OPTIONS, profile: { retainedRoots: ['r1'] } });
    const approved = await digestOf(scene.process(), text);
    const core = '@executablemd/core#File';
    const read = { name: 'File', identity: `${core}:read`, forms: ['self-closing'] };
    const write = { name: 'File', identity: `${core}:write`, forms: ['paired'] };
    const legacy = {
      decision: 'admitted',
      source: text,
      named: [{ name: 'File', identity: write.identity, form: 'paired' }],
      policy: {
        allow: ['read', 'write'],
        roots: ['r1'],
        selectedRoot: 'r1',
        allowed: [
          read,
          write,
          { name: 'Dir', identity: '@executablemd/workflow/composition/dir-v2#Dir', forms: ['paired'] },
          { name: 'File.Delete', identity: `${core}.Delete`, forms: ['self-closing'] },
        ],
        requests: [],
      },
    };
    const run = new MemoryRun();
    const at = 'steps/apply/generated_xmd';
    run.entries.set(at, { path: at, kind: 'decision', decision: 'value', text: JSON.stringify(legacy) });

    await expect(scene.process().evaluateIn(run.open(), { text, approved })).rejects.toMatchObject({
      code: 'ERR_XMD_APPROVAL_MISMATCH',
      data: { resumable: true },
    });
    expect(scene.calls).toEqual([]);
    expect(run.keys()).toEqual([at]);

    // The twin: without one, the record of that version goes on.
    await scene.process().evaluateIn(run.open(), { text });
    expect(scene.calls).toEqual(['write a.md']);
  });
});

describe('an approval that is handed on', () => {
  const OPTIONS: SceneOptions = { files: { 'a.md': 'a' }, allow: ['read', 'write'] };
  const text = '<File path="a.md">new</File>';

  it('AP-21 AP-31 to other step paths, as in a fan-out or a loop, changes a file once, and none that is another by then', async () => {
    const scene = new Scene(OPTIONS);
    const approved = await digestOf(scene.process(), text);
    const run = new MemoryRun();
    const [handle, process] = [run.open(), scene.process()];
    const at = (index: number): { path: string } => ({ path: `steps/each/iterate[${index}]/apply` });
    // Both were compared before either wrote: the second finds its change made, and makes none.
    await Promise.all([0, 1].map((index) => process.evaluateIn(handle, { text, approved }, at(index))));
    expect(scene.calls.filter((call) => !call.startsWith('persist'))).toEqual(['write a.md']);
    scene.put('a.md', 'a');
    const other = text.replace('new', 'newer');
    const rival = { text: other, approved: await digestOf(process, other) };
    const rivals = [{ text, approved }, rival].map((inputs, index) =>
      process.evaluateIn(handle, inputs, at(3 + index)),
    );
    await expect(Promise.all(rivals)).rejects.toMatchObject({ code: 'ERR_XMD_CONFLICT' });
    scene.put('a.md', 'by a person');
    await expect(process.evaluateIn(handle, { text, approved }, at(2))).rejects.toMatchObject({
      code: 'ERR_XMD_APPROVAL_STALE',
      data: { reason: 'target-moved' },
    });
    expect(scene.get('a.md')).toBe('by a person');
  });

  it('AP-21 AP-20 to a text that content makes is compared with what was made, and once', async () => {
    const made: string[] = [];
    const produced = (fragment: string): Partial<SceneOptions> => ({
      content: [{ name: 'plan', invoke: { kind: 'T.K', name: 'producer' } }],
      targets: { producer: resource('T.K', 'producer', () => (made.push(fragment), fragment)) },
    });
    const scene = new Scene(OPTIONS);
    const approved = await digestOf(scene.process(), text);
    const other = new MemoryRun();
    await expect(
      scene.process(produced(`${text}<File.Delete path="a.md" />`)).evaluateIn(other.open(), { approved }),
    ).rejects.toMatchObject({ code: 'ERR_XMD_APPROVAL_MISMATCH' });
    expect(other.keys()).toEqual([
      'steps/apply/content/plan',
      'steps/apply/generated_xmd',
      'steps/apply/generated_xmd/approval',
    ]);
    expect(scene.calls).toEqual([]);

    // The twin: the text that was approved, killed behind its admission, and made once.
    made.length = 0;
    const run = new MemoryRun();
    const killed = scene.process(produced(text)).evaluateIn(run.openKilledAt(3), { approved });
    await expect(killed).rejects.toMatchObject({ code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE' });
    await scene.process(produced(text)).evaluateIn(run.open(), { approved });
    expect(made).toEqual([text]);
    expect(scene.calls).toEqual(['write a.md']);
  });
});
