import { codeOf } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { isReservedName } from '../../../controllers/xmd/vocabulary/reserved.ts';
import { evaluating, World } from './real-kernel.ts';
import { NAMES, RESERVED } from './reserved-names.ts';

/** Elements that these forms of a standard name are, under read and write. */
const ADMITTED = new Set(['<File path="b.md">B</File>', '<File path="a.md" />', '<Dir path="d">x</Dir>']);

/**
 * A workflow in which a resource of each name works as a step, be it named so, of a kind named so, or of a kind behind an
 * import named so; then a text is evaluated.
 */
function documents(named: 'resource' | 'kind' | 'alias'): string {
  const kind = {
    resource: () => 'Shop.Call',
    kind: (name: string) => `Shop.${name}`,
    alias: (name: string) => `${name}.Call`,
  };
  const resource = (name: string): string => (named === 'resource' ? name : `of${name}`);
  const steps = NAMES.map((name) => `  - { name: use${name}, invoke: !ref ${resource(name)} }\n`);
  return `
${NAMES.map((name) => `kind: ${kind[named](name)}\nmetadata: { name: ${resource(name)} }\nanswer: from ${name}\n`).join('---\n')}---
${evaluating()}---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
${steps.join('')}  - { name: apply, invoke: !ref apply, inputs: { text: !cel inputs.text } }
`;
}

it.each(['resource', 'kind', 'alias'] as const)(
  'E16 a %s of each standard, protected and structural name works in steps, and no element reaches it',
  async (named) => {
    const imports = named === 'alias' ? NAMES.map((name) => `  ${name}: ./shop\n`).join('') : '';
    const world = new World(documents(named), { imports });
    const process = await world.process();

    expect(await process.run('r', { text: '<File path="a.md" /><File path="b.md">B</File>' })).toMatchObject({
      status: 'completed',
    });
    expect(world.calls.map(({ path }) => path)).toEqual(NAMES.map((name) => `steps/use${name}`));
    for (const name of NAMES) expect(await process.value('r', `steps/use${name}`)).toBe(`from ${name}`);
    expect(world.get('b.md')).toBe('B');

    for (const name of RESERVED) {
      for (const text of [
        `<${name} />`,
        `<${name}>x</${name}>`,
        `<${name} path="a.md" />`,
        `<${name} url="https://example.org/" />`,
      ]) {
        if (ADMITTED.has(text)) continue;
        const told = await process.evaluate(text).then(
          () => 'admitted',
          (error: unknown) => codeOf(error),
        );
        expect(told).toBe(text === '<File.Delete path="a.md" />' ? 'admitted' : 'ERR_XMD_REFUSED');
      }
    }
    expect(world.calls).toHaveLength(NAMES.length);
    expect(world.get('a.md')).toBeUndefined();
  },
);

it.each(['If', 'Else', 'Each', 'Let', 'Loop', 'Break', 'Return', 'Output', 'Content'])(
  'E16 %s stays structural: behind a valid write it refuses before it, with the exact journal',
  async (name) => {
    const world = new World(`
${evaluating()}---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
  - { name: apply, invoke: !ref apply, inputs: { text: !cel inputs.text } }
`);
    const process = await world.process();
    for (const [index, text] of [`<${name} />`, `<${name}>x</${name}>`].entries()) {
      const written = `<File path="b.md">B</File>${text}`;
      expect(await process.run(`r${index}`, { text: written })).toMatchObject({
        status: 'failed',
        error: { code: 'ERR_XMD_REFUSED', data: { class: 'component' } },
      });
      expect(await process.keys(`r${index}`)).toEqual(['inputs', 'steps/apply/inputs', 'steps/apply/generated_xmd']);
    }
    expect(world.get('b.md')).toBeUndefined();
    expect(await process.run('twin', { text: '<File path="b.md">B</File>' })).toMatchObject({ status: 'completed' });
    expect(world.get('b.md')).toBe('B');
  },
);

it('E16 the names typed here are those of the source', () => {
  expect(RESERVED.filter((name) => !isReservedName(name))).toEqual([]);
  expect(RESERVED.map((name) => `My${name}`).filter(isReservedName)).toEqual([]);
});
