import { describe, expect, it } from 'vitest';
import { APPLY, contentWorld } from './content-scene.ts';
import type { World } from './real-kernel.ts';

const READ = ['File self-closing'];
const WRITE = ['File paired', 'File.Delete self-closing', 'Dir paired'];

/** A reference, and the resources that ask it at some distance. */
const REFERENCES = `kind: Xmd.Syntax
metadata: { name: syntax }
profile: !ref profile
allow: [read, write]
---
kind: Xmd.Syntax
metadata: { name: narrow }
profile: !ref profile
---
kind: Run.Sequence
metadata: { name: far }
steps:
  - { name: asked, invoke: !ref nearer }
outputs: !cel steps.asked.result
---
kind: Run.Sequence
metadata: { name: nearer }
steps:
  - { name: asked, invoke: !ref syntax }
outputs: !cel steps.asked.result
---
`;

/** Makes a text that says which elements the reference lists. */
function saying(asked: string, before = ''): string {
  return `content:
${before}  - { name: syntax, invoke: !ref ${asked} }
  - { name: text, value: !cel "steps.syntax.result.symbols.map(one, one.name + ' ' + one.forms[0]).join('; ')" }
`;
}

async function outputs(world: World, inputs: unknown = {}): Promise<unknown> {
  const process = await world.process();
  const end = await process.run('r', inputs);
  expect(end).toMatchObject({ status: 'completed' });
  return Object(end).result.steps;
}

describe('E5 the syntax inside content', () => {
  it.each([
    ['syntax', '[read]', READ],
    ['syntax', '[write]', WRITE],
    ['narrow', '[read, write]', [...READ, ...WRITE]],
    ['far', '[read]', READ],
  ])(
    'E5 PL-43 %s under allow %s lists exactly what is admitted here, whatever it states itself',
    async (asked, allow, listed) => {
      const steps = `${APPLY}  - { name: outside, invoke: !ref ${asked} }\n`;
      const world = contentWorld({ evaluate: saying(asked), allow, others: REFERENCES, steps });
      const { apply, outside } = Object(await outputs(world));

      expect(apply.result.output.split('; ').toSorted()).toEqual(listed.toSorted());
      const own = asked === 'narrow' ? READ : [...READ, ...WRITE];
      expect(
        outside.result.symbols
          .map((one: { name: string; forms: string[] }) => `${one.name} ${one.forms[0]}`)
          .toSorted(),
      ).toEqual(own.toSorted());
    },
  );
});
