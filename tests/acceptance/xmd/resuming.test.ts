import { describe, expect, it, vi } from 'vitest';
import { MemoryRun } from '../../support/memory-handle.ts';
import { Scene, suspended } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const READ = 'Before <File path="notes.md" /> after\n';
const WRITE = '<Dir path="out"><File path="a.md">A</File></Dir>\n<File.Delete path="draft.md" />\n';
const BOTH = { allow: ['read', 'write'] };

describe('a fragment that has finished, and a run that waits afterwards', () => {
  it('R1 resumes past a later suspension in a new process with the recorded value, though the file has changed', async () => {
    const scene = new Scene({ files: { 'notes.md': 'one' } });
    const run = new MemoryRun();
    let later = 0;
    const body = (process = scene.process()) => process.workflow(run.open(), { text: READ }, () => (later += 1));

    await suspended(body());
    scene.put('notes.md', 'two');
    run.deliver('steps/wait', 'yes');
    const finished = await body();

    expect(finished).toEqual({
      applied: { observations: [{ name: 'File', value: 'one' }], output: 'Before one after\n' },
      answer: 'yes',
    });
    expect(scene.calls).toEqual(['read notes.md']);
    expect(later).toBe(1);
  });

  it('R1 resumes in the middle of the evaluation, too, with the recorded value', async () => {
    const scene = new Scene({ files: { 'notes.md': 'one' } });
    const run = new MemoryRun();
    await scene.process().evaluateIn(run.open(), { text: READ });
    run.entries.delete('steps/apply/generated_xmd/outcome');
    scene.put('notes.md', 'two');

    const resumed = await scene.process().evaluateIn(run.open(), { text: READ });

    expect(resumed).toEqual({ observations: [{ name: 'File', value: 'one' }], output: 'Before one after\n' });
    expect(scene.calls).toEqual(['read notes.md']);
  });

  it('R2 does not write again what the first process wrote, though someone edited and removed it', async () => {
    const scene = new Scene({ files: { 'draft.md': 'D' }, allow: ['read', 'write'] });
    const run = new MemoryRun();
    const body = () => scene.process().workflow(run.open(), { text: WRITE, ...BOTH }, () => 0);

    await suspended(body());
    expect(scene.get('out/a.md')).toBe('A');
    expect(scene.get('draft.md')).toBeUndefined();
    scene.put('out/a.md', 'edited');
    scene.put('draft.md', 'again');
    run.deliver('steps/wait', 'yes');
    const finished = await body();

    expect(finished).toMatchObject({ applied: { observations: [], output: '\n\n' } });
    expect(scene.get('out/a.md')).toBe('edited');
    expect(scene.get('draft.md')).toBe('again');
    expect(scene.calls).toEqual(['ensure out', 'write out/a.md', 'remove draft.md']);
  });

  it('R2 writes once on resuming when the write was not recorded before the kill', async () => {
    const scene = new Scene({ allow: ['read', 'write'] });
    const run = new MemoryRun();
    const text = '<File path="a.md">A</File>';
    // The admission and the pre-image are recorded, the write is not.
    await expect(scene.process().evaluateIn(run.openKilledAt(2), { text })).rejects.toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    });

    await scene.process().evaluateIn(run.open(), { text });

    expect(scene.get('a.md')).toBe('A');
    expect(scene.calls.filter((call) => call.startsWith('write'))).toEqual(['write a.md']);
  });
});

describe('the order of records', () => {
  const text =
    '<File path="notes.md" /><Dir path="out"><File path="a.md">A</File></Dir><File.Delete path="draft.md" />' +
    '<File path="out/a.md" />';

  it('R3 is inputs, admission, each effect behind its pre-image, outcome, the step, later effects', async () => {
    const scene = new Scene({ files: { 'notes.md': 'N', 'draft.md': 'D' }, allow: ['read', 'write'] });
    const run = new MemoryRun();

    await suspended(scene.process().workflow(run.open(), { text }, () => 0));

    expect(run.keys()).toEqual([
      'steps/apply/inputs',
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/File',
      'steps/apply/xmd[1]/Dir',
      'steps/apply/xmd[1]/Dir/xmd[0]/File/before',
      'steps/apply/xmd[1]/Dir/xmd[0]/File',
      'steps/apply/xmd[2]/File.Delete/before',
      'steps/apply/xmd[2]/File.Delete',
      'steps/apply/xmd[3]/File',
      'steps/apply/generated_xmd/outcome',
      'steps/apply',
      'steps/later',
    ]);
    expect(run.waits.map(({ path }) => path)).toEqual(['steps/wait']);
    expect(run.entries.get('steps/apply/xmd[0]/File')?.target).toBeUndefined();
  });

  it('R3 offers the same sequence on resuming, and adds nothing', async () => {
    const scene = new Scene({ files: { 'notes.md': 'N', 'draft.md': 'D' }, allow: ['read', 'write'] });
    const run = new MemoryRun();
    await suspended(scene.process().workflow(run.open(), { text }, () => 0));
    const keys = run.keys();
    const calls = scene.calls;

    await suspended(scene.process().workflow(run.open(), { text }, () => 0));

    expect(run.keys()).toEqual(keys);
    expect(scene.calls).toEqual(calls);
  });

  it('EV-31 performs Dir before its content and a paired File after it', async () => {
    const scene = new Scene({ files: { 'notes.md': 'N' }, allow: ['read', 'write'] });
    const copy = '<Dir path="out"><File path="copy.md">\n[<File path="../notes.md" />]</File></Dir>';
    const inside = copy.replace('../', '');
    scene.put('out/notes.md', 'inner');

    const { output, observations } = await scene.process().evaluateIn(new MemoryRun().open(), { text: inside });

    expect(scene.calls).toEqual(['ensure out', 'read out/notes.md', 'write out/copy.md']);
    expect(scene.get('out/copy.md')).toBe('[inner]');
    expect({ output, observations }).toEqual({ output: '', observations: [{ name: 'File', value: 'inner' }] });
    await expect(scene.process().evaluateIn(new MemoryRun().open(), { text: copy })).rejects.toMatchObject({
      code: 'ERR_XMD_REFUSED',
      data: { class: 'props' },
    });
  });
});

describe('calls over start and every resume', () => {
  const text =
    '<File path="a.md" /><Dir path="d"><File path="x.md">X</File><File path="b.md" /></Dir>' +
    '<File.Delete path="gone.md" /><File path="c.md" />';
  const files = { 'a.md': 'a', 'd/b.md': 'b', 'c.md': 'c', 'gone.md': 'g' };
  const expected = {
    observations: [
      { name: 'File', value: 'a' },
      { name: 'File', value: 'b' },
      { name: 'File', value: 'c' },
    ],
    output: 'abc',
  };
  // Admission, six effects, a pre-image for each of the two mutations that have one, outcome.
  const writes = 1 + 6 + 2 + 1;

  it('EV-30 pins the number of writes of a six-effect fragment', async () => {
    const scene = new Scene({ files, allow: ['read', 'write'] });
    const run = new MemoryRun();
    const result = await scene.process().evaluateIn(run.open(), { text });

    expect(result).toEqual(expected);
    expect(run.counts.writes).toBe(writes);
    expect(run.keys()).toHaveLength(writes);
  });

  it.each(Array.from({ length: writes }, (_, kill) => kill))(
    'R4 killed at write %i, performs each recorded effect once and each mutation once',
    async (kill) => {
      const scene = new Scene({ files, allow: ['read', 'write'] });
      const run = new MemoryRun();
      await expect(scene.process().evaluateIn(run.openKilledAt(kill), { text })).rejects.toMatchObject({
        code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
      });
      const first = scene.calls.length;
      const recorded = run.keys().filter((key) => /\/(?:File|Dir|File\.Delete)$/.test(key)).length;
      const lost = first > recorded;

      const result = await scene.process().evaluateIn(run.open(), { text });

      expect(result).toEqual(expected);
      expect(scene.get('d/x.md')).toBe('X');
      expect(scene.get('gone.md')).toBeUndefined();
      const mutations = scene.calls.filter((call) => /^(?:write|remove)/.test(call));
      expect(mutations).toEqual(['write d/x.md', 'remove gone.md']);
      const others = scene.calls.filter((call) => /^(?:read|ensure)/.test(call));
      expect(others).toHaveLength(4 + (lost && /^(?:read|ensure)/.test(scene.calls[first - 1] ?? '') ? 1 : 0));
    },
  );

  it('R4 performs nothing over three resumes that find no answer', async () => {
    const scene = new Scene({ files, allow: ['read', 'write'] });
    const run = new MemoryRun();
    for (const _ of [0, 1, 2, 3]) {
      await suspended(scene.process().workflow(run.open(), { text }, () => 0));
    }

    expect(scene.calls).toHaveLength(6);
  });

  it('R4 leaves a mutation alone that was performed and whose record was lost', async () => {
    const scene = new Scene({ allow: ['write'] });
    const run = new MemoryRun();
    const write = { text: '<File path="a.md">A</File>' };
    await scene.process().evaluateIn(run.open(), write);
    run.entries.delete('steps/apply/xmd[0]/File');
    run.entries.delete('steps/apply/generated_xmd/outcome');

    await scene.process().evaluateIn(run.open(), write);

    expect(scene.calls.filter((call) => call.startsWith('write'))).toEqual(['write a.md']);
  });

  it('R4 fails a mutation as a conflict when someone else has been there, and repeats that', async () => {
    const scene = new Scene({ allow: ['write'] });
    const run = new MemoryRun();
    const write = { text: '<File path="a.md">A</File>' };
    await scene.process().evaluateIn(run.open(), write);
    run.entries.delete('steps/apply/xmd[0]/File');
    run.entries.delete('steps/apply/generated_xmd/outcome');
    scene.put('a.md', 'someone else');

    for (const attempt of [0, 1]) {
      await expect(scene.process().evaluateIn(run.open(), write, { attempt })).rejects.toMatchObject({
        code: 'ERR_XMD_CONFLICT',
      });
    }
    expect(scene.get('a.md')).toBe('someone else');
    expect(scene.calls).toEqual(['write a.md']);
  });
});

describe('fragments without effects', () => {
  it.each(['', 'only prose\n', ' \t\r\n', '```\n<File path="a" />\n```\n', 'a `<File />` b'])(
    'R6 %j has one admission, its text as output, and is resumable',
    async (text) => {
      const scene = new Scene();
      const run = new MemoryRun();
      await suspended(scene.process().workflow(run.open(), { text }, () => 0));
      run.deliver('steps/wait', 1);

      const finished = await scene.process().workflow(run.open(), { text }, () => 0);

      expect(finished).toEqual({ applied: { observations: [], output: text }, answer: 1 });
      expect(run.keys().filter((key) => key.includes('generated_xmd'))).toEqual([
        'steps/apply/generated_xmd',
        'steps/apply/generated_xmd/outcome',
      ]);
      expect(scene.calls).toEqual([]);
    },
  );
});

describe('replay', () => {
  it('R7 performs no second request in a partial replay: what is recorded comes back, the rest is performed', async () => {
    const scene = new Scene({ files: { 'notes.md': 'one', 'b.md': 'b' } });
    const run = new MemoryRun();
    const text = '<File path="notes.md" /><File path="b.md" />';
    await expect(scene.process().evaluateIn(run.openKilledAt(2), { text })).rejects.toMatchObject({
      code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    });
    scene.put('notes.md', 'two');

    await expect(scene.process().evaluateIn(run.open(), { text })).resolves.toMatchObject({ output: 'oneb' });
    expect(scene.calls.filter((call) => call === 'read notes.md')).toHaveLength(1);
  });

  it('EV-40 performs no second read when the outcome is on record but the step is not', async () => {
    const scene = new Scene({ files: { 'notes.md': 'one' } });
    const run = new MemoryRun();
    const first = await scene.process().evaluateIn(run.open(), { text: READ });
    scene.put('notes.md', 'two');
    const { writes } = run.counts;

    const second = await scene.process().evaluateIn(run.open(), { text: READ });

    expect(second).toEqual(first);
    expect(run.counts.writes).toBe(writes);
    expect(scene.calls).toEqual(['read notes.md']);
  });

  it('R7 does not enter the evaluation at all when its step is on record', async () => {
    const scene = new Scene({ files: { 'notes.md': 'one' } });
    const run = new MemoryRun();
    await suspended(scene.process().workflow(run.open(), { text: READ }, () => 0));
    // With its evidence gone the evaluation could not answer: only the step's own record can.
    for (const key of run.keys().filter((path) => path.startsWith('steps/apply/'))) {
      if (key !== 'steps/apply/inputs') {
        run.entries.delete(key);
      }
    }
    run.deliver('steps/wait', 1);

    const finished = await scene.process().workflow(run.open(), { text: READ }, () => 0);

    expect(finished).toMatchObject({ applied: { output: 'Before one after\n' } });
    expect(scene.calls).toEqual(['read notes.md']);
  });

  it('EV-41 refuses an outcome whose effect is gone or altered, and performs nothing', async () => {
    const scene = new Scene({ files: { 'notes.md': 'one' } });
    const run = new MemoryRun();
    await scene.process().evaluateIn(run.open(), { text: READ });
    const entry = run.entries.get('steps/apply/xmd[0]/File');
    if (entry === undefined) throw new Error('nothing recorded');

    run.entries.set(entry.path, { ...entry, text: '"two"' });
    await expect(scene.process().evaluateIn(run.open(), { text: READ })).rejects.toMatchObject({
      code: 'ERR_XMD_RECORD_UNREADABLE',
    });
    run.entries.delete(entry.path);
    await expect(scene.process().evaluateIn(run.open(), { text: READ })).rejects.toMatchObject({
      code: 'ERR_XMD_RECORD_UNREADABLE',
    });
    run.entries.set(entry.path, entry);
    await expect(scene.process().evaluateIn(run.open(), { text: READ })).resolves.toMatchObject({
      output: 'Before one after\n',
    });
    expect(scene.calls).toEqual(['read notes.md']);
  });
});
