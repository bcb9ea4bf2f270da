import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Profile } from '../../controllers/xmd/index.ts';
import { main } from '../../kernel/cli/main.ts';
import { fakeContext } from '../support/fake-context.ts';
import { writeApplication } from './application.ts';
import { Place, ROOT } from './command-line.ts';

interface Symbols {
  readonly symbols: readonly Symbol[];
  readonly reference: readonly Symbol[];
}

interface Symbol {
  readonly name: string;
  readonly origin: string;
  readonly description: string;
  readonly available: boolean;
  readonly props: { readonly properties: Readonly<Record<string, { readonly description: string }>> };
}

const MEMBERS = ['available', 'description', 'forms', 'grant', 'name', 'origin', 'props'];

/** What row E17 says of a listing, wherever it came from. */
function expectE17({ reference, symbols }: Symbols): void {
  for (const one of reference) expect(Object.keys(one).toSorted()).toEqual(MEMBERS);
  const named = (name: string): Symbol | undefined => reference.find((one) => one.name === name);
  expect(named('Evaluate')).toMatchObject({
    origin: 'protected',
    available: false,
    description: 'Evaluate program text. `<Evaluate text={program} allow={["read"]} />` runs it.',
  });
  expect(named('Plan')).toMatchObject({
    origin: 'protected',
    available: false,
    description:
      'Generate program text from a prompt. `<Plan as="program">Ask for the user\'s age.</Plan>` produces a string that can be passed to `<Evaluate>`.',
  });
  expect(named('Evaluate')?.props.properties['source']?.description).toBe(
    'Deprecated compatibility spelling for workflow documents. Use text in new documents.',
  );
  expect(symbols.map(({ name }) => name)).toEqual(['File', 'File', 'Dir', 'File.Delete']);
  expect(symbols.every(({ origin, available }) => origin === 'standard' && available)).toBe(true);
}

const ALLOW = ['--allow', 'read,write'];

describe('telo-xmd syntax', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  it('E17 the listing from source', async () => {
    const profile = Profile.create(
      { kind: 'Xmd.Profile', metadata: { name: 'p', module: 'App' }, root: place.folder, grants: ['read', 'write'] },
      fakeContext(),
    );
    expectE17(JSON.parse(JSON.stringify(profile.syntax({ allow: ['read', 'write'] }))));

    // The command line of the sources, in this very process.
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    const world = { stdin: new PassThrough(), stdout, stderr, env: {}, cwd: place.folder, now: () => 0 };
    expect(await main(['syntax', 'app', ...ALLOW, '--json'], world)).toBe(0);
    expectE17(JSON.parse(String(stdout.read())));
  });

  it('E17 CL-16 the listing from the built bundle, and the reference as text', async () => {
    const { code, stdout } = await place.run(['syntax', 'app', ...ALLOW, '--json']);
    expect(code).toBe(0);
    expectE17(JSON.parse(stdout));
    const text = await place.run(['syntax', 'app', ...ALLOW, '--profile', 'files']);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toContain('### File.Delete, self-closing (write)\n');
    expect((await place.run(['syntax', 'app'])).stdout).not.toContain('File.Delete');
    const named = await place.run(['syntax', 'app', '--names', 'Evaluate,Nothing']);
    expect(named.stdout).toMatch(/### Evaluate[^]*Not available here\.\n\n### Nothing\nThere is no such element\.\n$/);
    expect(readdirSync(place.path('app/files'))).toEqual(['notes.md']);
  });

  it('CL-16 one profile is needed, by name where there are several; nothing else is taken', async () => {
    expect((await place.run(['syntax', 'app', '--profile', 'nope'])).code).toBe(66);
    expect((await place.run(['syntax', 'nowhere'])).code).toBe(66);
    expect((await place.run(['syntax', 'app', '--allow', 'all'])).code).toBe(65);
    expect((await place.run(['syntax', 'app', '--names', 'not an element'])).code).toBe(65);
    expect((await place.run(['syntax'])).code).toBe(64);
    const library = `${ROOT}/manifests/xmd`;
    const two = ['one', 'two'].map(
      (name) => `---\nkind: Xmd.Profile\nmetadata: { name: ${name} }\nroot: .\ngrants: [read]\n`,
    );
    place.write(
      'two/telo.yaml',
      `kind: Telo.Application\nmetadata: { name: Two, version: 1.0.0 }\nimports: { Xmd: ${library} }\n${two.join('')}`,
    );
    const several = await place.run(['syntax', 'two']);
    expect(several.code).toBe(64);
    expect(several.stderr).toContain('one, two');
    expect((await place.run(['syntax', 'two', '--profile', 'two'])).code).toBe(0);
  });

  it('E17 the listing from the packed package in an empty folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'telo-xmd-packed-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const packing = ['pack', '--ignore-scripts', '--pack-destination', folder, '--loglevel', 'error'];
    execFileSync('npm', packing, { cwd: ROOT, env: { ...process.env, npm_config_cache: join(folder, 'cache') } });
    const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    expect(archive).toContain('telo-xmd');
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, 'telo-xmd'), { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', join(modules, 'telo-xmd'), '--strip-components=1']);
    // What npm would install beside it; the SDK comes bundled.
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (!name.startsWith('.') && name !== 'telo-xmd')
        symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
    const packed = join(modules, 'telo-xmd');
    const manifest = join(packed, 'manifests/examples/release-notes/telo.yaml');
    const program = join(packed, 'dist/kernel/main.mjs');
    const printed = execFileSync(process.execPath, [program, 'syntax', manifest, ...ALLOW, '--json'], { cwd: folder });
    expectE17(JSON.parse(printed.toString()));
  });
});
