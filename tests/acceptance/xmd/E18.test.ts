import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluating, FLOW, World } from './real-kernel.ts';

const READ = '<File path="a.md" /><File path="b.md">B</File>';
const UNNAMED = `kind: Xmd.Evaluate
metadata: { name: apply }
allow: [read, write]
`;

/** Declared in the step: what the check cannot know is refused at its first call. */
const IN_PLACE = FLOW.replace('!ref apply', '{ kind: Xmd.Evaluate, allow: [read, write] }');

function profile(name: string): string {
  return `kind: Xmd.Profile
metadata: { name: ${name} }
root: ./work
grants: [read, write]
---
`;
}

describe('E18 one private profile', () => {
  it.each([
    ['no profile', ''],
    ['two profiles and none named', profile('one') + profile('two').replace(/---\n$/, '')],
  ])('E18 %s refuses before effects, and leaves no record', async (_name, profiles) => {
    const declared = new World((profiles === '' ? '' : `${profiles}---\n`) + UNNAMED + FLOW);
    expect(await declared.check()).toMatchObject([expect.stringMatching(/PROFILE_NOT_NAMED$/)]);
    await expect(declared.process()).rejects.toThrow(/profile/);

    const world = new World(profiles + IN_PLACE);
    const process = await world.process();

    expect(await process.run('r', { text: READ })).toMatchObject({
      status: 'failed',
      error: { code: 'ERR_XMD_PROFILE' },
    });
    expect(await process.keys('r')).toEqual(['inputs', 'steps/apply/inputs']);
    expect(world.get('b.md')).toBeUndefined();

    const twin = new World(profile('one') + UNNAMED + FLOW);
    const honest = await twin.process();
    expect(await honest.run('r', { text: READ })).toMatchObject({ status: 'completed' });
    expect(twin.get('b.md')).toBe('B');
  });

  it('E18 an application without an Evaluate needs no profile', async () => {
    const world = new World(`
kind: Shop.Call
metadata: { name: call }
answer: yes it works
`);
    const process = await world.process();
    await expect(process.invoke('Shop.Call', 'call', {})).resolves.toBe('yes it works');
  });

  it.each([
    ['the inputs', { text: READ, profile: 'forged' }],
    ['the inputs, as one', { text: READ, profile: { root: '/', grants: ['read', 'write'] } }],
    ['the root in the inputs', { text: READ, root: '/' }],
    ['operations in the inputs', { text: READ, operations: [] }],
  ])('E18 a profile from %s refuses and reaches nothing', async (_name, inputs) => {
    const world = new World(evaluating());
    const process = await world.process();

    await expect(process.invoke('Xmd.Evaluate', 'apply', inputs)).rejects.toMatchObject({ code: 'ERR_INPUT_INVALID' });
    expect(world.get('b.md')).toBeUndefined();
    await expect(process.invoke('Xmd.Evaluate', 'apply', { text: READ })).resolves.toMatchObject({ output: 'a' });
  });

  it('E18 a resource of another kind is no profile, and check says so at its line', async () => {
    const world = new World(`kind: Shop.Call
metadata: { name: forged }
---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref forged
`);
    expect(await world.check()).toMatchObject([expect.stringMatching(/REFERENCE_KIND_MISMATCH$/)]);
    await expect(world.process()).rejects.toThrow(/forged/);
    expect(world.calls).toEqual([]);
    world.write(`${profile('one')}${UNNAMED}profile: !ref one\n`);
    expect(await world.check()).toEqual([]);
  });

  it('E18 a profile of a library is not the application’s: unnamed it does not count', async () => {
    const xmd = new URL('../../../manifests/xmd', import.meta.url).pathname;
    const library = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
imports:
  Xmd: ${xmd}
exports: { resources: [theirs] }
---
${profile('theirs')
  .replace('./work', '.')
  .replace(/---\n$/, '')}`;
    const files = { 'lib/telo.yaml': library };
    const imports = '  Lib: ./lib\n';
    const world = new World(IN_PLACE, { imports, files });
    const process = await world.process();

    expect(await process.run('r', { text: READ })).toMatchObject({
      status: 'failed',
      error: { code: 'ERR_XMD_PROFILE' },
    });
    expect(await process.keys('r')).toEqual(['inputs', 'steps/apply/inputs']);
    expect(world.get('b.md')).toBeUndefined();
    await process.kernel.close();

    world.write(`${UNNAMED}profile: !ref Lib.theirs\n${FLOW}`, imports);
    const named = await world.process();
    expect(await named.run('s', { text: '<File path="c.md">C</File>' })).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(world.folder, 'lib/c.md'), 'utf8')).toBe('C');
  });
});
