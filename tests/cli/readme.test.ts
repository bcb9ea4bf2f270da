import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageCopy, Place, ROOT } from './command-line.ts';

interface Block {
  readonly commands: readonly string[];
  /** Lines of the `text` or `console` block that follows; lines with an ellipsis are compared up to it. */
  readonly output: readonly string[];
}

/** The `sh` blocks of a page, each with the output block that follows it before the next `sh` block. */
function blocksOf(page: string): readonly Block[] {
  const fences = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, kind = '', body = '']) => ({
    kind,
    lines: body.split('\n').filter((line) => line.trim() !== ''),
  }));
  return fences.flatMap(({ kind, lines }, index) => {
    if (kind !== 'sh') return [];
    const next = fences[index + 1];
    const output = next !== undefined && ['text', 'console'].includes(next.kind) ? next.lines : [];
    return [{ commands: lines, output }];
  });
}

describe('what the pages tell to type', () => {
  const place = new Place();
  beforeAll(() => {
    packageCopy(place);
    // `npx` finds the command line of the clone; here it is named directly, so that no cache of npm's is touched.
    const shim = place.write('.bin/npx', `#!/bin/sh\nshift\nexec "${process.execPath}" dist/kernel/main.mjs "$@"\n`);
    chmodSync(shim, 0o755);
  });
  afterAll(() => place.remove());

  const type = (
    command: string,
    more: Readonly<Record<string, string>> = {},
  ): { readonly code: number | null; readonly said: string } => {
    // The packages are installed already.
    const rest = command.replace(/^npm ci(?: && |$)/, '');
    if (rest === '') return { code: 0, said: '' };
    const env = {
      ...process.env,
      ...more,
      NO_COLOR: '1',
      PATH: `${place.path('.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', rest], { cwd: place.folder, env, encoding: 'utf8' });
    return { code: status, said: `${stdout}${stderr}` };
  };

  it('works as README.md and the example say, in their order', () => {
    const pages = ['README.md', 'manifests/examples/release-notes/README.md', 'docs/editor-and-ci.md'].filter((page) =>
      existsSync(join(ROOT, page)),
    );
    const blocks = pages.flatMap((page) => blocksOf(readFileSync(join(ROOT, page), 'utf8')));
    expect(blocks.length).toBeGreaterThan(2);
    for (const { commands, output } of blocks) {
      let said = '';
      for (const command of commands) {
        const ended = type(command);
        expect({ command, ...ended }).toMatchObject({ command, code: 0 });
        said += ended.said;
      }
      for (const line of output) {
        const [shown = ''] = line.split('…');
        expect(said).toContain(shown.trimEnd());
      }
    }
  });

  it('runs the evidence loop as the page of the examples says', async () => {
    const page = readFileSync(join(ROOT, 'manifests/examples/README.md'), 'utf8');
    const [model = '', script = ''] = [...page.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, body = '']) => body);
    // The page's port may be in use here.
    const env = { ...process.env, PORT: '0' };
    const started = spawn('sh', ['-c', `exec ${model}`], {
      cwd: place.folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [said] = await once(started.stdout, 'data');
      const [url = ''] = /http:\S+/.exec(String(said)) ?? [];
      const ended = type(script, { MODEL_URL: url });
      expect(ended.said).toContain('completed  evidence:checkout');
      expect(ended.code).toBe(0);
    } finally {
      started.kill();
    }
  });

  it('CL-20 works as the workflow for CI says, with and without a finding', () => {
    const page = readFileSync(join(ROOT, 'docs/editor-and-ci.md'), 'utf8');
    const [, shown = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
    const steps: unknown = parse(shown).jobs.check.steps;
    const script = Array.isArray(steps) ? String(steps.at(-1).run) : '';
    expect(type(script)).toEqual({ code: 0, said: '' });
    place.write('broken.yaml', 'kind: Telo.Application\nmetadata: { name: Broken }\ntargts: []\n');
    const found = type(script.replace('manifests/examples/release-notes/telo.yaml', 'broken.yaml'));
    expect(found.said).toBe(
      "::error file=broken.yaml,line=3,col=1,title=SCHEMA_VIOLATION::Unknown field 'targts'%0ADid you mean 'targets'?\n",
    );
    expect(found.code).toBe(65);
  });

  it('begins afresh as README.md says', () => {
    const page = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [, afresh = ''] = /`(rm -r [^`]+)`/.exec(page) ?? [];
    expect(type('npm run loop').code).toBe(0);
    expect(type(afresh)).toEqual({ code: 0, said: '' });
    expect(type('npm run loop').said).toContain('waits for an answer');
    expect(type('npx telo-xmd runs').said).toContain('1 run, 1 waiting for an answer');
  });
});
