import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, header, linkSdk, open } from './support/application.ts';

const BUNDLE = `export const Thing = { create: () => ({ invoke: async () => 'made' }) };\nexport const Empty = {};\n`;

function application(
  controller: string,
  bundle: Readonly<Record<string, string>> = { 'lib/thing.mjs': BUNDLE },
): string {
  return folderWith({
    'telo.yaml': `${header('[]').replace('imports:', 'imports:\n  Lib: ./lib')}---\nkind: Lib.Thing\nmetadata: { name: thing }\n`,
    'lib/telo.yaml': `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
exports: { kinds: [Thing] }
---
kind: Telo.Definition
metadata: { name: Thing, description: A thing. }
capability: Telo.Invocable
controllers: [ "${controller}" ]
schema: { type: object, additionalProperties: false, properties: {} }
`,
    ...bundle,
  });
}

const GOOD = 'pkg:telo/local/js?path=./thing.mjs#Thing';

it('RT-05 loads the prebuilt bundle that path= names', async () => {
  const { kernel } = await open(application(GOOD));
  expect(await kernel.invoke('thing')).toBe('made');
});

it('RT-05 takes the whole bundle where there is no fragment', async () => {
  const { kernel } = await open(
    application('pkg:telo/local/js?path=./thing.mjs', {
      'lib/thing.mjs': `export const create = () => ({ invoke: async () => 1 });`,
    }),
  );
  expect(await kernel.invoke('thing')).toBe(1);
});

it.each([
  { controller: 'pkg:telo/local/js?path=./missing.mjs#Thing', code: 'ERR_CONTROLLER_NOT_FOUND' },
  { controller: 'pkg:telo/local/js?path=./thing.mjs#Nope', code: 'ERR_CONTROLLER_INVALID' },
  { controller: 'pkg:telo/local/js?path=./thing.mjs#Empty', code: 'ERR_CONTROLLER_INVALID' },
])('RT-06 refuses $controller with $code', async ({ controller, code }) => {
  await expect(open(application(controller))).rejects.toMatchObject({ code });
});

it('RT-06 refuses a bundle that cannot be evaluated', async () => {
  const broken = open(application(GOOD, { 'lib/thing.mjs': `throw new Error('at load');` }));
  await expect(broken).rejects.toMatchObject({ code: 'ERR_CONTROLLER_INVALID' });
});

it('RT-07 refuses a bundle that would use another copy of the SDK, and loads it with the kernel’s own', async () => {
  const importing = {
    'lib/thing.mjs': `import { InvokeError } from '@telorun/sdk';\n${BUNDLE}export { InvokeError };\n`,
  };
  const own = application(GOOD, importing);
  linkSdk(own);
  const { kernel } = await open(own);
  expect(await kernel.invoke('thing')).toBe('made');
  const other = application(GOOD, importing);
  const copy = join(other, 'copy');
  mkdirSync(copy);
  writeFileSync(
    join(copy, 'package.json'),
    '{ "name": "@telorun/sdk", "version": "0.80.0", "type": "module", "exports": "./index.js" }',
  );
  writeFileSync(join(copy, 'index.js'), 'export class InvokeError extends Error {}\n');
  linkSdk(other, copy);
  await expect(open(other)).rejects.toMatchObject({ code: 'ERR_CONTROLLER_SDK_MISMATCH' });
});
