import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkManifests } from '../../../../kernel/check/check-manifests.ts';

const FOLDER = fileURLToPath(new URL('../../../manifests/fixtures-check', import.meta.url));
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.bad.yaml'))
  .map((name) => name.replace('.bad.yaml', ''));

async function found(name: string): Promise<string[]> {
  const diagnostics = await checkManifests([name], { cwd: FOLDER });
  return diagnostics.map(
    ({ position, code }) => `${path.basename(position.file)}:${position.line}:${position.column} ${code}`,
  );
}

describe('M-20 every finding stands where it belongs, beside a manifest without it', () => {
  it('M-20 no fixture is without its twin', () => {
    const good = readdirSync(FOLDER).filter((name) => name.endsWith('.good.yaml'));
    expect(good.map((name) => name.replace('.good.yaml', ''))).toEqual(names);
  });

  it.each(names)('M-20 %s', async (name) => {
    const text = readFileSync(path.join(FOLDER, `${name}.bad.yaml`), 'utf8');
    const expected = [...text.matchAll(/^# expect (\d+:\d+ \w+)$/gm)].map(([, place]) => `${name}.bad.yaml:${place}`);
    expect(expected).not.toEqual([]);
    expect(await found(`${name}.bad.yaml`)).toEqual(expected);
    expect(await found(`${name}.good.yaml`)).toEqual([]);
  });
});
