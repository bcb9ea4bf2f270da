import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluating, FLOW, World } from './real-kernel.ts';
import { RESERVED } from './reserved-names.ts';

function naming(name: string): string {
  return `
kind: Shop.Call
metadata: { name: impostor }
---
${evaluating(`  - { name: ${name}, form: self-closing, grant: read, revision: '1', invoke: !ref impostor }
`)}`;
}

describe('E13 nothing can answer for Evaluate', () => {
  it.each(RESERVED)('E13 an operation named %s refuses the profile at boot; near it one is called', async (name) => {
    const world = new World(naming(name));
    await expect(world.process()).rejects.toThrow(`"${name}" is a name of its own`);
    expect(world.calls).toEqual([]);
    world.write(naming(`My.${name}`));
    const process = await world.process();
    await expect(process.evaluate(`<My.${name} />`)).resolves.toBeDefined();
    expect(world.calls).toMatchObject([{ name: 'impostor' }]);
  });

  it.each([
    ['a resource named Evaluate', 'kind: Shop.Call\nmetadata: { name: Evaluate }\n', ''],
    ['a resource of a kind named Evaluate', 'kind: Shop.Evaluate\nmetadata: { name: evaluate }\n', ''],
    ['an import named Evaluate', 'kind: Evaluate.Call\nmetadata: { name: evaluate }\n', '  Evaluate: ./shop\n'],
  ])('E13 E14 %s is never reached from an element, nor in the place of an evaluation', async (_name, more, imports) => {
    const world = new World(`${more}---\n${evaluating()}`, { imports });
    const process = await world.process();

    await expect(process.evaluate('<Evaluate text="x" />')).rejects.toMatchObject({
      code: 'ERR_XMD_REFUSED',
      data: { class: 'component' },
    });
    await expect(process.evaluate('<Evaluate.Call />')).rejects.toMatchObject({ data: { class: 'component' } });
    expect(world.calls).toEqual([]);
    await expect(process.evaluate('<File path="a.md" />')).resolves.toMatchObject({ output: 'a' });
    expect(world.calls).toEqual([]);
  });

  it('E13 a second copy of the package has no profile of the first, and a profile of its own counts for it alone', async () => {
    const bundle = readFileSync(resolve(import.meta.dirname, '../../../manifests/xmd/dist/xmd.mjs'), 'utf8');
    const sdk = resolve(import.meta.dirname, '../../../sdk/dist/index.js');
    const library = readFileSync(resolve(import.meta.dirname, '../../../manifests/xmd/telo.yaml'), 'utf8');
    const files = {
      'copy/telo.yaml': library,
      'copy/dist/xmd.mjs': bundle
        .replaceAll('"@telorun/sdk"', JSON.stringify(sdk))
        .replace(/\n\/\/# sourceMappingURL.*/, ''),
    };
    const documents = `${evaluating('', { grants: '[read]' })}---
kind: Copy.Evaluate
metadata: { name: other }
profile: !ref profile
allow: [read]
`;
    const world = new World(documents, { files, imports: '  Copy: ./copy\n' });
    const process = await world.process();

    await expect(process.invoke('Xmd.Evaluate', 'other', { text: '<File path="a.md" />' })).rejects.toMatchObject({
      code: 'ERR_XMD_PROFILE',
    });
    await expect(process.evaluate('<File path="a.md" />')).resolves.toMatchObject({ output: 'a' });
  });

  it('E13 honest delegation works: an operation that evaluates is an evaluation of its own, refusals included', async () => {
    const world = new World(`
${evaluating(`  - name: Inner
    form: paired
    grant: read
    revision: '1'
    invoke: !ref inner
    inputs: { text: !cel content }
`)}---
kind: Xmd.Profile
metadata: { name: narrow }
root: ./work
grants: [read]
---
kind: Xmd.Evaluate
metadata: { name: inner }
profile: !ref narrow
---
kind: Run.Sequence
metadata: { name: unused }
steps: [{ name: nothing, value: 1 }]
${FLOW}`);
    const process = await world.process();
    const read = '<Inner>`<File path="a.md" />`</Inner>';
    await expect(process.run('r', { text: read })).resolves.toMatchObject({ status: 'completed' });
    const keys = await process.keys('r');
    expect(keys).toContain('steps/apply/xmd[0]/Inner/generated_xmd');
    expect(keys.filter((key) => key.includes('begun'))).toEqual([]);

    const refused = await process.run('s', { text: '<Inner>`x` {secret}</Inner>' });
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'ERR_XMD_REFUSED' } });
  });
});

describe('a deliberate refusal', () => {
  /** Whatever surrounds the evaluation, no author caught the refusal. */
  const around = (steps: string) => `
kind: Shop.Call
metadata: { name: seen }
---
${evaluating("  - { name: Ask, form: self-closing, grant: read, revision: '1', invoke: !ref seen }\n")}---
kind: Run.Sequence
metadata: { name: nested }
steps: [{ name: apply, invoke: !ref apply, inputs: { text: '<Ask /><Nobody />' } }]
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
steps:
${steps}
  - { name: after, invoke: !ref seen }
`;
  it.each([
    ['at a step', "  - { name: apply, invoke: !ref apply, inputs: { text: '<Ask /><Nobody />' } }"],
    ['in a body', '  - { name: body, invoke: !ref nested }'],
    ['under a retry', '  - { name: body, invoke: !ref nested, retry: { attempts: 3, initialDelay: 1, jitter: none } }'],
  ])(
    'E13 stays one %s: the run fails with it, nothing is called, and a later process says the same',
    async (_name, steps) => {
      const world = new World(around(steps));
      const process = await world.process();
      const refused = {
        status: 'failed',
        error: { code: 'ERR_XMD_REFUSED', data: { class: 'component', line: 1, column: 8 } },
      };

      expect(await process.run('r')).toMatchObject(refused);
      const keys = await process.keys('r');
      await process.kernel.close();
      const later = await world.process();
      expect(await later.workflow.execute('r')).toMatchObject(refused);
      expect(await later.keys('r')).toEqual(keys);
      expect(keys.filter((key) => key.endsWith('generated_xmd'))).toHaveLength(1);
      expect(world.calls).toEqual([]);
      await later.evaluate('<Ask />');
      expect(world.calls).toHaveLength(1);
    },
  );
});

describe('the content of an operation', () => {
  it('HO-03 is handed on as it is written, and an element in it is refused before any call', async () => {
    const world = new World(`
kind: Shop.Call
metadata: { name: note }
---
${evaluating("  - { name: Note, form: paired, content: text, grant: read, revision: '1', invoke: !ref note }\n")}`);
    const process = await world.process();

    await expect(process.evaluate('<Note>a <File path="a.md" /></Note>')).rejects.toMatchObject({
      code: 'ERR_XMD_REFUSED',
      data: { class: 'content' },
    });
    await expect(process.evaluate('<Note to="x">a</Note>')).rejects.toMatchObject({ data: { class: 'props' } });
    expect(world.calls).toEqual([]);
    await process.evaluate('<Note>\n\ta `<File path="a.md" />` \r\n</Note>');
    expect(world.calls).toMatchObject([{ inputs: { content: '\n\ta `<File path="a.md" />` \r\n' } }]);
  });
});

describe('a prop that is named content', () => {
  const NOTE = "  - { name: Note, form: paired, grant: read, revision: '1', invoke: !ref note";
  const noting = (more: string) =>
    `kind: Shop.Call\nmetadata: { name: note }\n---\n${evaluating(`${NOTE}${more} }\n`)}`;

  it('HO-03 refuses the profile where the content is handed on under that name, and may be stated beside inputs', async () => {
    const props = ', props: { type: object, properties: { content: { type: string } } }';
    await expect(new World(noting(props)).process()).rejects.toThrow(/has a prop named content/);
    const world = new World(noting(`${props}, inputs: { of: !cel props.content, text: !cel content }`));
    await (await world.process()).evaluate('<Note content="prop">text</Note>');
    expect(world.calls).toMatchObject([{ inputs: { of: 'prop', text: 'text' } }]);
  });

  it('HO-03 is refused in an element whose props are open, with and without content', async () => {
    const world = new World(noting(', props: { type: object }'));
    const process = await world.process();
    for (const text of ['<Note content="prop">text</Note>', '<Note content="prop"></Note>']) {
      await expect(process.evaluate(text)).rejects.toMatchObject({ data: { class: 'props' } });
    }
    expect(world.calls).toEqual([]);
    await process.evaluate('<Note contents="prop">text</Note>');
    expect(world.calls).toMatchObject([{ inputs: { contents: 'prop', content: 'text' } }]);
  });
});

describe('E14 E15 an allow cannot be ignored', () => {
  it('E14 a replacement that would write although only read is allowed is never invoked', async () => {
    const world = new World(`
kind: Shop.Call
metadata: { name: writer }
---
${evaluating(
  `  - { name: Write, form: self-closing, grant: write, revision: '1', inDoubt: refuse, invoke: !ref writer }
  - { name: Read, form: self-closing, grant: read, revision: '1', invoke: !ref writer }
`,
  { allow: '[read]' },
)}${FLOW}`);
    const process = await world.process();
    const end = await process.run('r', { text: '<Read /><Write /><File path="b.md">B</File>' });

    expect(end).toMatchObject({ status: 'failed', error: { code: 'ERR_XMD_REFUSED', data: { class: 'component' } } });
    expect(world.calls).toEqual([]);
    expect(world.get('b.md')).toBeUndefined();
    expect(await process.keys('r')).toEqual(['inputs', 'steps/apply/inputs', 'steps/apply/generated_xmd']);
    expect(await process.run('twin', { text: '<Read />' })).toMatchObject({ status: 'completed' });
    expect(world.calls).toHaveLength(1);
  });

  it('E15 the name Evaluate adds nothing: a profile without write cannot write, whatever the resource allows', async () => {
    const world = new World(evaluating('', { grants: '[read]', allow: '[read, write]' }));
    expect(await world.check()).toEqual([expect.stringMatching(/ ALLOW_WIDER_THAN_GRANTS$/)]);
    await expect(world.process()).rejects.toThrow(/allow/);
    world.write(evaluating('', { grants: '[read]' }) + FLOW);
    const process = await world.process();
    expect(await process.run('r', { text: '<File path="b.md">B</File>' })).toMatchObject({
      status: 'failed',
      error: { code: 'ERR_XMD_REFUSED' },
    });
    expect(await process.keys('r')).toEqual(['inputs', 'steps/apply/inputs', 'steps/apply/generated_xmd']);
    expect(world.get('b.md')).toBeUndefined();
    const twin = new World(evaluating());
    await expect((await twin.process()).evaluate('<File path="b.md">B</File>')).resolves.toBeDefined();
    expect(twin.get('b.md')).toBe('B');
  });
});
