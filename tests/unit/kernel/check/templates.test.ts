import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkManifests } from '../../../../kernel/check/check-manifests.ts';
import { folderWith } from '../runtime/support/application.ts';

const LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
imports:
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  Run: oci://ghcr.io/telorun/run@0.25.0
exports: { kinds: [Critical, Asking] }
---
kind: Telo.Definition
metadata: { name: Critical }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./lib.mjs#Critical']
schema:
  type: object
  properties: { steps: { type: array, x-telo-topology-role: steps, x-telo-provides-zone: { noSuspend: a lock } } }
---
kind: Telo.Definition
metadata: { name: Asking }
capability: Telo.Invocable
schema:
  type: object
  additionalProperties: false
  properties: { who: { type: string } }
resources:
  - { kind: Durable.Await, metadata: { name: gate } }
  - { kind: Run.Value, metadata: { name: text }, value: !cel self.who }
  - kind: Run.Sequence
    metadata: { name: body }
    steps:
      - { name: a, invoke: !ref text }
      - { name: b, invoke: !ref gate }
invoke: !ref body
`;
const APPLICATION = `kind: Telo.Application
metadata: { name: App }
imports:
  Lib: ./lib
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalFile: oci://ghcr.io/telorun/durable-journal-file@0.2.0
---
kind: DurableJournalFile.Journal
metadata: { name: runs }
directory: ./runs
---
kind: Lib.Asking
metadata: { name: asks }
who: Ada
---
kind: Lib.Critical
metadata: { name: critical }
steps: [{ name: x, invoke: !ref asks }]
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
steps: [{ name: free, invoke: !ref asks }, { name: held, invoke: !ref critical }]
`;

/** Codes with the file and the text of the line that they stand at. */
async function found(library: string, application = APPLICATION): Promise<readonly string[]> {
  const cwd = folderWith({ 'telo.yaml': application, 'lib/telo.yaml': library });
  const diagnostics = await checkManifests(['telo.yaml'], { cwd });
  return diagnostics.map(({ code, position: { file, line } }) => {
    const text = (file === join(cwd, 'telo.yaml') ? application : library).split('\n')[line - 1] ?? '';
    return `${code} ${basename(dirname(file)) === 'lib' ? 'library' : 'application'}: ${text.trim()}`;
  });
}

function changed(part: string, other: string): string {
  if (!LIBRARY.includes(part)) throw new Error(`the library has no ${part}`);
  return LIBRARY.replace(part, other);
}

it('TP-10 what an instance does inside a zone is told of in the template, and not where it does no harm', async () => {
  const kept = ['ZONE_ATTRIBUTE_VIOLATED library: - { name: b, invoke: !ref gate }'];
  expect(await found(LIBRARY)).toEqual(kept);
  expect(await found(LIBRARY, APPLICATION.replace(', { name: held, invoke: !ref critical }', ''))).toEqual([]);
  const inline = APPLICATION.replace('invoke: !ref asks }]\n', 'invoke: { kind: Lib.Asking, who: x } }]\n');
  expect(await found(LIBRARY, inline)).toEqual(kept);
});

const SAFE = changed('Durable.Await, metadata: { name: gate }', 'Run.Value, metadata: { name: gate }, value: 1');
const INSIDE: readonly [string, string, string][] = [
  ['self.who }', 'self.whom }', 'CEL_UNKNOWN_FIELD'],
  ['self.who }', 'selves.who }', 'CEL_UNKNOWN_VARIABLE'],
  ['kind: Run.Value, metadata: { name: text }', 'kind: Run.Valve, metadata: { name: text }', 'UNRESOLVED_KIND'],
  ['invoke: !ref text', 'invoke: !ref asks', 'UNRESOLVED_REFERENCE'],
  ['invoke: !ref text', 'invoke: !cel self.who', 'INVALID_REFERENCE_FORM'],
];

it.each(INSIDE)('TP-10 %s as %s is %s at its line', async (part, other, code) => {
  expect(await found(SAFE)).toEqual([]);
  const bad = SAFE.replace(part, other);
  const line = bad.split('\n').find((one) => one.includes(other));
  expect(await found(bad)).toContain(`${code} library: ${line?.trim() ?? ''}`);
});

const REFUSED: readonly [string, string, string, string][] = [
  ['TP-11', 'invoke: !ref body', 'invoke: !ref body\nrun: !ref body', 'TEMPLATE_INVALID'],
  ['TP-11', 'invoke: !ref body', 'provide: !ref body', 'TEMPLATE_INVALID'],
  ['TP-11', 'invoke: !ref body', 'invoke: !ref other', 'UNRESOLVED_REFERENCE'],
  [
    'TP-11',
    'invoke: !ref body',
    "invoke: !ref body\ncontrollers: ['pkg:telo/local/js?path=./x.mjs']",
    'TEMPLATE_INVALID',
  ],
  [
    'TP-11',
    'kind: Run.Value, metadata: { name: gate }, value: 1',
    'kind: Self.Asking, metadata: { name: gate }',
    'TEMPLATE_INVALID',
  ],
  ['TP-12', 'invoke: !ref body', 'invoke: !ref body\nbase: !ref body', 'TEMPLATE_NOT_BUILT_IN'],
  ['TP-12', 'who: { type: string }', 'who: { type: string, x-telo-eval: runtime }', 'TEMPLATE_NOT_BUILT_IN'],
  ['TP-12', 'who: { type: string }', 'who: { type: string, x-telo-context: { n: {} } }', 'TEMPLATE_NOT_BUILT_IN'],
];

it.each(REFUSED)('%s %s as %s is %s', async (_row, part, other, code) => {
  expect(await found(SAFE)).toEqual([]);
  if (!SAFE.includes(part)) throw new Error(`the library has no ${part}`);
  const lines = await found(SAFE.replace(part, other));
  expect(lines.map((one) => one.split(' ')[0])).toContain(code);
  expect(lines.every((one) => one.includes(' library: '))).toBe(true);
});

it('TP-12 inputs beside run are refused, beside invoke they are not', async () => {
  const runs = SAFE.replace('name: Asking }\ncapability: Telo.Invocable', 'name: Asking }\ncapability: Telo.Runnable');
  expect(await found(runs.replace('invoke: !ref body', 'inputs: {}\ninvoke: !ref body'))).toEqual([]);
  expect(await found(runs.replace('invoke: !ref body', 'run: !ref body'))).toEqual([]);
  expect(await found(runs.replace('invoke: !ref body', 'inputs: {}\nrun: !ref body'))).toEqual([
    'TEMPLATE_NOT_BUILT_IN library: inputs: {}',
  ]);
});
