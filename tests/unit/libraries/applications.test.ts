import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMap, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';
import { Place, ROOT } from '../../cli/command-line.ts';

const FOLDER = join(ROOT, 'manifests', 'tests');
const APPLICATIONS = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

let place: Place;

// A copy of the libraries without their sources: what is run is the built bundles.
beforeAll(() => {
  place = new Place();
  for (const name of ['xmd', 'durable-journal-sqlite', 'tests']) {
    cpSync(join(ROOT, 'manifests', name), place.path('manifests', name), {
      recursive: true,
      filter: (source) => !/\.telo$|workspace\/.*out/.test(source),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), place.path('node_modules'));
});

afterAll(() => place.remove());

/** The text of an application whose last assertion expects something else. */
function expectingOtherwise(text: string): string {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  let last: (() => void) | undefined;
  for (const document of documents) {
    visit(document, {
      Map: (_key, step) => {
        const invoke = step.get('invoke', true);
        const inputs = step.get('inputs', true);
        if (!isScalar(invoke) || !String(invoke.value).startsWith('Assert.') || !isMap(inputs)) return;
        last = () => inputs.set(inputs.has('expected') ? 'expected' : 'value', 'something else');
      },
    });
  }
  last?.();
  return documents.map(String).join('');
}

/** The manifests that a README shows whole. */
function shownIn(library: string): readonly string[] {
  const readme = readFileSync(join(ROOT, 'manifests', library, 'README.md'), 'utf8');
  return [...readme.matchAll(/```yaml\n(kind: Telo\.Application\n[^]*?)```/g)].map(([, shown = '']) => shown);
}

describe.each(['xmd', 'durable-journal-sqlite'])('the README of %s', (library) => {
  it('LB-06 shows a manifest that is without findings', async () => {
    const shown = shownIn(library);
    expect(shown).toHaveLength(1);
    mkdirSync(place.path('shown', library, 'workspace'), { recursive: true });
    const manifest = shown.join('').replaceAll('./node_modules/telo-xmd/manifests/', '../../manifests/');
    writeFileSync(place.path('shown', library, 'telo.yaml'), manifest);
    const checked = await place.run(['check', join('shown', library)]);
    expect(checked).toMatchObject({ stdout: '✓  No issues found\n', code: 0 });
  });
});

describe.each(APPLICATIONS)('the application %s', (name) => {
  it('LB-07 is without findings, and holds', async () => {
    expect(await place.run(['check', join('manifests', 'tests', name)])).toMatchObject({ code: 0, stderr: '' });
    const ended = await place.run(['run', join('manifests', 'tests', name)]);
    expect(ended.stderr).not.toMatch(/^error/m);
    expect(ended.code).toBe(0);
  });

  it('LB-07 fails when its last assertion expects something else', async () => {
    const other = `otherwise-${name}`;
    writeFileSync(
      place.path('manifests', 'tests', other),
      expectingOtherwise(readFileSync(join(FOLDER, name), 'utf8')),
    );
    const ended = await place.run(['run', join('manifests', 'tests', other)]);
    expect(ended.stderr).toContain('ERR_ASSERTION_FAILED');
    expect(ended.code).toBe(1);
  });

  it('LB-08 takes every module from the one place that can be switched', () => {
    const [root] = parseAllDocuments(readFileSync(join(FOLDER, name), 'utf8'), { logLevel: 'silent' });
    const imports = root?.get('imports', true);
    const sources = isMap(imports) ? imports.items.map(({ value }) => (isScalar(value) ? value.value : undefined)) : [];
    expect(new Set(sources)).toEqual(new Set(['./modules']));
    expect(isSeq(root?.get('targets', true))).toBe(true);
  });
});
