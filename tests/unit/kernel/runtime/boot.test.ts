import { expect, it } from 'vitest';
import { boot, header } from './support/application.ts';

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
