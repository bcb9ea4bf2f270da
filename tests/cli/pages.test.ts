import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { builtinKinds } from '../../kernel/kinds/builtin.ts';
import { Place, ROOT } from './command-line.ts';

const page = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const readme = page('README.md');

describe('the lists of the pages', () => {
  const place = new Place();
  afterAll(() => place.remove());

  it('CL-01 README names every command of the help', async () => {
    const { stdout } = await place.run(['--help']);
    const commands = [...stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name]) => name);
    const [, listed = ''] = /^## Commands\n\n(.*?): `npx telo-xmd --help`/ms.exec(readme) ?? [];
    expect([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(commands.toSorted());
    for (const name of commands) {
      expect(await place.run([name ?? '', '--help'])).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('README and the page of the library name every kind that it exports', () => {
    const [library] = parseAllDocuments(page('manifests/xmd/telo.yaml'), { customTags: [], logLevel: 'silent' });
    const exported: unknown = library?.toJS().exports.kinds;
    const rows = (text: string): string[] =>
      [...text.matchAll(/^\| \[?`Xmd\.(\w+)`/gm)].map(([, name = '']) => name).toSorted();
    expect(Array.isArray(exported) ? exported.toSorted() : exported).toEqual(rows(readme));
    expect(rows(page('manifests/xmd/README.md'))).toEqual(rows(readme));
  });

  it('the page of what is built in says of every kind what it is, and README names every module', () => {
    const rows = [...page('docs/built-in.md').matchAll(/^\| `(\w+\.\w+)` +\| (.*?) +\|$/gm)];
    expect(new Map(rows.map(([, kind = '', what]) => [kind, what]))).toEqual(
      new Map([...builtinKinds].map(([kind, { description }]) => [kind, description])),
    );
    const [, listed = ''] = /^Built in, (.*?)\.\n?$/ms.exec(readme) ?? [];
    for (const { module } of builtinKinds.values()) if (module !== 'Telo') expect(listed).toContain(`\`${module}\``);
  });

  it('its imports are taken as they stand there', async () => {
    const imports = [...page('docs/built-in.md').matchAll(/^`(\w+: oci:\S+)`$/gm)].map(([, line]) => `  ${line}`);
    expect(imports).toHaveLength(new Set([...builtinKinds.values()].map(({ module }) => module)).size - 1);
    place.write('all.yaml', `kind: Telo.Application\nmetadata: { name: All }\nimports:\n${imports.join('\n')}\n`);
    expect(await place.run(['check', 'all.yaml'])).toMatchObject({ code: 0, stdout: '✓  No issues found\n' });
  });
});
