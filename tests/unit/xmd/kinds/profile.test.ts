import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stampRefIdentity } from '@telorun/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Evaluate, Profile } from '../../../../controllers/xmd/index.ts';
import { readProfile } from '../../../../controllers/xmd/read-profile.ts';
import { durableContext, fakeContext, resource } from '../../../support/fake-context.ts';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { LIMIT, reasonOf } from '../providers/host-folder.ts';

/** A folder with a manifest, whose own folder is the root of the profile. */
function application(extra: Record<string, unknown> = {}, protectedPaths: (folder: string) => string[] = () => []) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'xmd-profile-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'telo.yaml'), 'kind: Telo.Application\n');
  writeFileSync(join(folder, 'notes.md'), 'notes');
  const source = pathToFileURL(join(folder, 'telo.yaml')).href;
  const target = resource('Local.Ask', 'ask', () => 'asked', source);
  const ctx = fakeContext({
    moduleContext: { source },
    protectedPaths: protectedPaths(folder),
    resources: { ask: target },
  });
  Profile.create(
    { kind: 'Xmd.Profile', metadata: { name: 'p', module: 'App' }, root: '.', grants: ['read', 'write'], ...extra },
    ctx,
  );
  const run = new MemoryRun();
  const evaluate = (text: string) =>
    Evaluate.create({ kind: 'Xmd.Evaluate', metadata: { name: 'e' }, allow: ['read', 'write'] }, ctx).invoke(
      { text },
      durableContext(run.open(), `steps/${run.keys().length}`),
    );
  return { folder, evaluate, run, ctx, target };
}

const ASK = {
  name: 'Ask',
  form: 'self-closing',
  grant: 'read',
  revision: '1',
  invoke: { kind: 'Local.Ask', name: 'ask' },
};

describe('a profile', () => {
  it('EV-04 resolves its root against the folder of its manifest and records it as written', async () => {
    const { evaluate, run, folder } = application();
    await expect(evaluate('<File path="notes.md" />')).resolves.toMatchObject({ output: 'notes' });
    expect(run.value('steps/0/generated_xmd')).toMatchObject({ policy: { root: '.' } });
    expect(JSON.stringify([...run.entries.values()])).not.toContain(folder);
  });

  it('EV-04 keeps its manifest, and what the host protects, out of reach under any name', async () => {
    const dotted = { paths: { read: { allow: ['**', '.telo/**'] } } };
    const { evaluate, folder } = application(dotted, (at) => [join(at, 'journal.db')]);
    writeFileSync(join(folder, 'journal.db'), 'records');
    symlinkSync('telo.yaml', join(folder, 'link.md'));
    mkdirSync(join(folder, '.telo'));
    writeFileSync(join(folder, '.telo/x'), 'x');
    for (const path of ['telo.yaml', 'link.md', 'journal.db', '.telo/x']) {
      await expect(evaluate(`<File path="${path}" />`)).rejects.toMatchObject({
        code: 'ERR_XMD_EFFECT',
        data: { reason: 'protected' },
      });
    }
    await expect(evaluate('<File path="telo.yaml">x</File>')).rejects.toMatchObject({ data: { reason: 'protected' } });
  });

  it('FS-20 asks the host each time: a list that grows in place, and another one, count at once', async () => {
    let told: readonly string[] = [];
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'xmd-profile-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name);
    const source = pathToFileURL(join(folder, 'telo.yaml')).href;
    const ctx = { ...fakeContext({ moduleContext: { source } }), protectedPaths: () => told };
    const { files } = readProfile({ kind: 'Xmd.Profile', metadata: { name: 'p' }, root: '.', grants: ['read'] }, ctx);
    const protectedNow = () => ['a', 'b', 'c'].filter((name) => reasonOf(() => files.read(name, LIMIT)) !== 'done');

    expect(protectedNow()).toEqual([]);
    const grown = [join(folder, 'a')];
    told = grown;
    expect(protectedNow()).toEqual(['a']);
    grown.push(join(folder, 'b'));
    expect(protectedNow()).toEqual(['a', 'b']);
    told = Object.freeze([join(folder, 'b')]);
    expect([protectedNow(), protectedNow()]).toEqual([['b'], ['b']]);
    told = Object.freeze([join(folder, 'c')]);
    expect(protectedNow()).toEqual(['c']);
  });

  it('EV-05 knows a target of its own module by name where the host states a URL, and leaves any other URL out', async () => {
    const { evaluate, run, target } = application({ operations: [ASK] });
    await evaluate('<Ask />');
    stampRefIdentity(target, 'Local.Ask', 'ask', { module: 'https://example.org/telo.yaml' });

    expect(run.entries.get('steps/0/xmd[0]/Ask')?.target).toEqual({ kind: 'Local.Ask', name: 'ask', module: 'App' });
    const foreign = application({ operations: [ASK] });
    stampRefIdentity(foreign.target, 'Local.Ask', 'ask', { module: 'https://example.org/telo.yaml' });
    await foreign.evaluate('<Ask />');
    expect(foreign.run.entries.get('steps/0/xmd[0]/Ask')?.target).toEqual({ kind: 'Local.Ask', name: 'ask' });
    expect(JSON.stringify([...foreign.run.entries.values()])).not.toContain('example.org');
  });

  it('EV-01 refuses props that are no JSON Schema, and judges props by one that is', async () => {
    const broken = application({ operations: [{ ...ASK, props: { type: 'nonsense' } }] });
    await expect(broken.evaluate('')).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
    const props = {
      type: 'object',
      required: ['to'],
      properties: { to: { type: 'string' } },
      additionalProperties: false,
    };
    const { evaluate } = application({ operations: [{ ...ASK, props }] });
    await expect(evaluate('<Ask to="x" />')).resolves.toMatchObject({ output: 'asked' });
    for (const text of ['<Ask />', '<Ask to={1} />', '<Ask to="x" more="y" />']) {
      await expect(evaluate(text)).rejects.toMatchObject({ code: 'ERR_XMD_REFUSED', data: { class: 'props' } });
    }
  });

  it('EV-02 EV-03 counts for its module until its teardown', async () => {
    const { ctx, evaluate } = application();
    const second = Profile.create({ kind: 'Xmd.Profile', metadata: { name: 'q' }, root: '.', grants: ['read'] }, ctx);
    await expect(evaluate('')).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
    second.teardown?.();
    await expect(evaluate('')).resolves.toEqual({ observations: [], output: '' });
  });

  it('EV-03 is revoked for a resource that names it', async () => {
    const { ctx } = application();
    const named = Profile.create({ kind: 'Xmd.Profile', metadata: { name: 'q' }, root: '.', grants: ['read'] }, ctx);
    stampRefIdentity(named, 'Xmd.Profile', 'q');
    const evaluate = Evaluate.create({ kind: 'Xmd.Evaluate', metadata: { name: 'e' }, profile: named }, ctx);
    await expect(evaluate.invoke({ text: 'a' })).resolves.toMatchObject({ output: 'a' });
    named.teardown?.();
    await expect(evaluate.invoke({ text: 'a' })).rejects.toMatchObject({ code: 'ERR_XMD_PROFILE' });
  });

  it('EV-46 evaluates outside a run as inside', async () => {
    const { ctx, evaluate } = application();
    const outside = Evaluate.create({ kind: 'Xmd.Evaluate', metadata: { name: 'e' } }, ctx);
    const text = 'a <File path="notes.md" />';
    await expect(outside.invoke({ text })).resolves.toEqual(await evaluate(text));
  });
});
