import { expect, it } from 'vitest';
import { isManifestError } from '../../../../kernel/index.ts';
import { boot, folderWith, header, open } from './support/application.ts';

const SAY = `---
kind: Run.Sequence
metadata: { name: say }
inputType: { type: object, required: [text], properties: { text: { type: string } } }
steps:
  - { name: line, invoke: !ref Console.writeLine, inputs: { output: !cel inputs.text } }
---
kind: Run.Sequence
metadata: { name: hello }
steps:
  - { name: line, invoke: !ref Console.writeLine, inputs: { output: hello } }
---
kind: Run.Value
metadata: { name: three }
value: !cel 1 + 2
`;

it('RT-01 boots a sequence of a value and a printed line', async () => {
  const { stdout } = await boot(`${header('[ !ref main ]')}---
kind: Run.Value
metadata: { name: greeting }
value: !cel "'hello ' + inputs.who"
---
kind: Run.Sequence
metadata: { name: main }
steps:
  - { name: greet, invoke: !ref greeting, inputs: { who: world } }
  - { name: say, invoke: !ref Console.writeLine, inputs: { output: !cel steps.greet.result } }
`);
  expect(stdout()).toBe('hello world\n');
});

it('RT-02 refuses a manifest with every finding, at its place, before anything runs', async () => {
  const folder = folderWith({
    'telo.yaml': `${header('[ !ref missing ]')}---\nkind: Run.Valu\nmetadata: { name: a }\nvalue: 1\n`,
  });
  const error: unknown = await open(folder).catch((thrown: unknown) => thrown);
  if (!isManifestError(error)) throw new Error('no ManifestError was thrown');
  expect(error.code).toBe('ERR_MANIFEST_VALIDATION_FAILED');
  expect(error.diagnostics.map(({ code, position }) => [code, position.line])).toEqual(
    expect.arrayContaining([
      ['UNRESOLVED_REFERENCE', 7],
      ['UNRESOLVED_KIND', 9],
    ]),
  );
});

it('RT-02 opens the same manifest once it is corrected', async () => {
  const { kernel } = await boot(`${header('[]')}---\nkind: Run.Value\nmetadata: { name: a }\nvalue: 1\n`);
  expect(await kernel.invoke('a')).toBe(1);
});

it('RT-30 boots all four forms of targets, in order, and a later one reads an earlier result', async () => {
  const { stdout } = await boot(
    `${header(`
  - !ref hello
  - hello
  - { ref: !ref hello, when: !cel 1 > 2 }
  - { ref: !ref hello, when: !cel 2 > 1 }
  - { name: sum, invoke: !ref three }
  - { invoke: !ref Console.writeLine, inputs: { output: !cel string(steps.sum.result) } }
  - { invoke: { kind: Run.Value, value: !cel "'inline'" }, name: inline }
  - { invoke: !ref say, inputs: { text: !cel steps.inline.result } }`)}${SAY}`,
  );
  expect(stdout()).toBe('hello\nhello\nhello\n3\ninline\n');
});

it('RT-31 ends the boot at the first target that fails', async () => {
  const folder = folderWith({
    'telo.yaml': `${header('[ !ref hello, !ref fails, !ref hello ]')}${SAY}---
kind: Run.Sequence
metadata: { name: fails }
steps:
  - { name: no, throw: { code: ERR_NO, message: no } }
`,
  });
  const { kernel, stdout } = await open(folder);
  await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_NO' });
  expect(stdout()).toBe('hello\n');
});

it('RT-03 binds variables and secrets from the environment and from stated values', async () => {
  const declared = `variables:
  who: { env: WHO, type: string, default: world }
  count: { env: COUNT, type: integer, default: 1 }
secrets: { key: { env: KEY, type: string } }
`;
  const values = `---
kind: Run.Value
metadata: { name: all }
value: { who: !cel variables.who, count: !cel variables.count, key: !cel secrets.key, module: !cel module.name }
`;
  const folder = folderWith({ 'telo.yaml': `${header('[]', declared)}${values}` });
  const { kernel } = await open(folder, { env: { KEY: 'k', WHO: 'env' }, variables: { who: 'stated' } });
  expect(await kernel.invoke('all')).toMatchObject({ who: 'stated', key: 'k', module: 'Probe' });
  await expect(open(folder, { env: {} })).rejects.toMatchObject({ code: 'ERR_MANIFEST_VALIDATION_FAILED' });
});

it('RT-11 makes a ready instance live that only an inline resource inside a step refers to', async () => {
  const targets = `
  - invoke:
      kind: Run.Sequence
      steps: [ { name: say, invoke: !ref Console.writeLine, inputs: { output: deep } } ]`;
  const { stdout } = await boot(header(targets));
  expect(stdout()).toBe('deep\n');
});

it('RT-04 opens no library, and opens an application that imports it', async () => {
  const library = 'kind: Telo.Library\nmetadata: { name: Lib, version: 0.1.0 }\n';
  const folder = folderWith({
    'lib/telo.yaml': library,
    'telo.yaml': header('[]').replace('imports:', 'imports:\n  Lib: ./lib'),
  });
  const refused = { code: 'ERR_MANIFEST_VALIDATION_FAILED', diagnostics: [{ code: 'LIBRARY_NOT_BOOTABLE' }] };
  await expect(open(`${folder}/lib`)).rejects.toMatchObject(refused);
  await open(folder);
});
