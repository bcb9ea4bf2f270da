import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Scene } from '../acceptance/xmd/scene.ts';

/** A root with a neighbour whose name begins as its own does, and links out of it. */
function beside(): Scene {
  const scene = new Scene({ allow: ['read', 'write'], files: { 'in/file': 'inside' } });
  mkdirSync(join(scene.folder, 'work-evil'));
  writeFileSync(join(scene.folder, 'work-evil', 'secret'), 'outside');
  symlinkSync('../work-evil', join(scene.folder, 'work', 'out'));
  symlinkSync('../work-evil/secret', join(scene.folder, 'work', 'link'));
  symlinkSync('link', join(scene.folder, 'work', 'link-to-link'));
  symlinkSync('in', join(scene.folder, 'work', 'ok'));
  return scene;
}

describe('links and neighbours of the root', () => {
  it.each([
    '<File path="link" />',
    '<File path="link-to-link" />',
    '<File path="out/secret" />',
    '<File path="out/secret">x</File>',
    '<File path="out/new">x</File>',
    '<File path="out/missing/new">x</File>',
    '<Dir path="out/made"></Dir>',
    '<File.Delete path="out/secret" />',
  ])('reports filesystem-mcp#21 DesktopCommanderMCP#420 deno#2318 %s does not leave the root', async (text) => {
    const scene = beside();
    await expect(scene.process().evaluate({ text })).rejects.toMatchObject({ code: 'ERR_XMD_EFFECT' });
    expect(existsSync(join(scene.folder, 'work-evil', 'secret'))).toBe(true);
    expect(['new', 'made', 'missing'].filter((name) => existsSync(join(scene.folder, 'work-evil', name)))).toEqual([]);
  });

  it('reports filesystem-mcp#21 a link that stays inside is followed', async () => {
    await expect(beside().process().evaluate({ text: '<File path="ok/file" />' })).resolves.toMatchObject({
      output: 'inside',
    });
  });

  it.each(['../work-evil/secret', './../work-evil/secret', 'in/../../work-evil/secret'])(
    'reports MAVSDK#3069 the neighbour %s is outside',
    async (path) => {
      await expect(
        beside()
          .process()
          .evaluate({ text: `<File path="${path}" />` }),
      ).rejects.toMatchObject({
        code: 'ERR_XMD_REFUSED',
        data: { class: 'props' },
      });
    },
  );
});

describe('what is left out of allow', () => {
  it.each([[undefined], [null], [[]]])('reports DesktopCommanderMCP#403 allow %j grants no write', async (allow) => {
    const scene = new Scene();
    const inputs = { text: '<File path="a">x</File>', ...(allow === undefined ? {} : { allow }) };
    await expect(scene.process().evaluate(inputs)).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_XMD_(REFUSED|INPUT)$/),
    });
    expect(scene.calls).toEqual([]);
  });

  it('reports DesktopCommanderMCP#403 stated, it does', async () => {
    const scene = new Scene({ allow: ['write'] });
    await scene.process().evaluate({ text: '<File path="a">x</File>' });
    expect(scene.get('a')).toBe('x');
  });
});
