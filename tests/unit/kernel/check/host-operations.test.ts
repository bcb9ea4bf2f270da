import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { checkManifests } from '../../../../kernel/check/check-manifests.ts';
import { folderWith } from '../runtime/support/application.ts';

const XMD = resolve(import.meta.dirname, '../../../../manifests/xmd');

/** A kind of another module: called, or one that says that it needs a run around it. */
const LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
imports: { Lasting: oci://ghcr.io/telorun/durable@0.2.0 }
exports: { kinds: [Call, Wait] }
---
kind: Telo.Definition
metadata: { name: Call, description: Is called. }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./x.mjs#Call']
schema: { type: object }
---
kind: Telo.Definition
metadata: { name: Wait, description: Parks. }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./x.mjs#Wait']
schema: { type: object, x-telo-requires-zone: { zone: Lasting.Run, reason: it parks } }
`;

async function found(kind: string, stated: string): Promise<readonly string[]> {
  const folder = folderWith({
    'lib/telo.yaml': LIBRARY,
    'lib/x.mjs': 'export const Call = { create: () => ({}) };\nexport const Wait = Call;\n',
    'telo.yaml': `kind: Telo.Application
metadata: { name: App, version: 0.1.0 }
imports: { Xmd: ${XMD}, Lib: ./lib }
---
kind: ${kind}
metadata: { name: target }
---
kind: Xmd.Profile
metadata: { name: profile }
root: .
grants: [read, write]
operations:
  - { name: Call, form: self-closing, revision: '1', invoke: !ref target, ${stated} }
`,
  });
  const diagnostics = await checkManifests(['telo.yaml'], { cwd: folder });
  return diagnostics.filter(({ code }) => code.startsWith('HOST_')).map(({ code, path }) => `${path ?? ''} ${code}`);
}

it.each<[string, string, readonly string[]]>([
  ['Lib.Call', 'grant: read', []],
  ['Lib.Call', 'grant: read, inDoubt: ask', []],
  ['Lib.Call', 'grant: write, inDoubt: refuse', []],
  ['Lib.Call', 'grant: write', ['operations[0].grant HOST_OPERATION_IN_DOUBT']],
  ['Lib.Wait', 'grant: write, inDoubt: retry', []],
  ['Lib.Wait', 'grant: write, inDoubt: refuse', ['operations[0].inDoubt HOST_OPERATION_IN_DOUBT']],
  ['Lib.Wait', 'grant: read, inDoubt: ask', ['operations[0].inDoubt HOST_OPERATION_IN_DOUBT']],
])('HO-06 %s with %s: %j', async (kind, stated, expected) => {
  expect(await found(kind, stated)).toEqual(expected);
});
