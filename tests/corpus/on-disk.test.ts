import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Scene } from '../acceptance/xmd/scene.ts';
import { checkWidest, corpusCases, plannedPaths } from './corpus.ts';

interface Written {
  readonly path: string;
  readonly utf8?: string;
  readonly base64?: string;
}

const cases = corpusCases('admitted');

describe('ordinary work, on disk', () => {
  it('F-50 has at least seventy admitted fragments', () => {
    expect(cases.length).toBeGreaterThanOrEqual(70);
  });

  it.each(cases.map((one) => [one.name, one] as const))('%s leaves exactly its bytes in the root', async (_, { text, expected }) => {
    const verdict = checkWidest(text);
    const files = verdict.ok ? plannedPaths(verdict.value, ['File:read', 'File.Delete']) : [];
    const scene = new Scene({ allow: ['read', 'write'], files: Object.fromEntries(files.map((path) => [path, 'before'])) });

    await scene.process().evaluate({ text });

    const last = new Map((Array.isArray(expected) ? expected : []).map((file: Written) => [file.path, file]));
    for (const [path, file] of last) {
      const bytes = readFileSync(join(scene.folder, 'work', path));
      const wanted = file.utf8 === undefined ? Buffer.from(file.base64 ?? '', 'base64') : Buffer.from(file.utf8);
      expect(bytes.equals(wanted), path).toBe(true);
    }
    for (const path of verdict.ok ? plannedPaths(verdict.value, ['File.Delete']) : []) {
      expect(existsSync(join(scene.folder, 'work', path)) && !last.has(path), path).toBe(false);
    }
  });

  it('F-51 the line end behind a tag belongs to a File, and not to a Dir', () => {
    const children = (text: string): unknown => {
      const verdict = checkWidest(text);
      return verdict.ok ? verdict.value.effects[0]?.children[0] : verdict.refusal;
    };
    expect(children('<Dir path="d">\n</Dir>')).toEqual({ kind: 'text', text: '\n' });
    expect(children('<File path="a">\nx</File>')).toEqual({ kind: 'text', text: 'x' });
  });
});
