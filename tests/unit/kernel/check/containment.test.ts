import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { checkManifests } from '../../../../kernel/check/check-manifests.ts';
import { containmentHere } from '../../../../kernel/check/containment.ts';
import { formatDiagnostic } from '../../../../kernel/check/format.ts';
import { folderWith } from '../runtime/support/application.ts';

const XMD = resolve(import.meta.dirname, '../../../../manifests/xmd');
const MANIFEST = `kind: Telo.Application
metadata: { name: App, version: 0.1.0 }
imports: { Xmd: ${XMD} }
---
kind: Xmd.Profile
metadata: { name: profile }
root: .
grants: [read]
`;

it('M-22 says at each profile that the guarantee is weaker where there are no handles, and nothing where there are', async () => {
  const cwd = folderWith({ 'telo.yaml': MANIFEST });
  const found = await checkManifests(['telo.yaml'], { cwd, containment: 'verified' });
  expect(found).toMatchObject([
    { severity: 'warning', code: 'CONTAINMENT_VERIFIED_ONLY', position: { line: 7 }, path: 'root' },
  ]);
  expect(found.map((one) => formatDiagnostic(one, { cwd })).join('')).toMatch(
    /^telo\.yaml:7:\d+ {2}warning {2}On this system the guarantee for files is weaker/,
  );
  expect(await checkManifests(['telo.yaml'], { cwd, containment: 'handles' })).toEqual([]);
});

it('M-22 FS-45 is handles on Linux with /proc alone', () => {
  const cwd = folderWith({ fd: '' });
  expect(containmentHere('linux', join(cwd, 'fd'))).toBe('handles');
  expect(containmentHere('linux', join(cwd, 'missing'))).toBe('verified');
  expect(containmentHere('darwin', join(cwd, 'fd'))).toBe('verified');
});
