import { expect, it } from 'vitest';
import { evaluating, World } from './real-kernel.ts';

/** One workflow in which resources of kinds named like elements work as steps, around an evaluation. */
function documents(name: string, kind: string): string {
  return `
kind: ${kind}
metadata: { name: ${name} }
answer: from the step
---
${evaluating()}---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
  - { name: before, invoke: !ref ${name} }
  - { name: apply, invoke: !ref apply, inputs: { text: !cel inputs.text } }
`;
}

it.each(['File', 'Fetch', 'Elicit'])(
  'E16 a resource and a kind named %s work in steps, and an element never reaches them',
  async (name) => {
    const text = name === 'File' ? '<File path="a.md" />' : `<${name} url="https://example.org/" />`;
    for (const kind of [`Shop.${name}`, `${name}.Call`]) {
      const world = new World(documents(name, kind), { imports: `  ${name}: ./shop\n` });
      const process = await world.process();
      const end = await process.run('r', { text });

      expect(end).toMatchObject(
        name === 'File'
          ? { status: 'completed' }
          : { status: 'failed', error: { code: 'ERR_XMD_REFUSED', data: { class: 'component' } } },
      );
      expect(world.calls).toMatchObject([{ name, path: 'steps/before' }]);
      expect(await process.value('r', 'steps/before')).toBe('from the step');
      if (name === 'File') expect(await process.value('r', 'steps/apply')).toMatchObject({ output: 'a' });
    }
  },
);

it.each(['If', 'Else', 'Each', 'Let', 'Loop', 'Break', 'Return', 'Output', 'Content'])(
  'E16 %s stays structural: it is no element of a fragment, whatever resource has its name',
  async (name) => {
    const world = new World(documents(name, 'Shop.Call'));
    const process = await world.process();
    for (const [index, text] of [`<${name} />`, `<${name}>x</${name}>`].entries()) {
      const written = `<File path="b.md">B</File>${text}`;
      expect(await process.run(`r${index}`, { text: written })).toMatchObject({
        status: 'failed',
        error: { code: 'ERR_XMD_REFUSED' },
      });
      expect(await process.keys(`r${index}`)).toEqual([
        'inputs',
        'steps/before',
        'steps/apply/inputs',
        'steps/apply/generated_xmd',
      ]);
    }
    expect(world.get('b.md')).toBeUndefined();
    expect(await process.run('twin', { text: '<File path="b.md">B</File>' })).toMatchObject({ status: 'completed' });
    expect(world.get('b.md')).toBe('B');
  },
);
