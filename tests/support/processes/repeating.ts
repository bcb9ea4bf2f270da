import type { Sandbox } from './sandbox.ts';
import type { Subject } from './sweep.ts';

/** A choice, a loop that waits in one of its turns, and a projection: each with an effect that is counted. */
const DOCUMENTS = `
kind: Counted.Operation
metadata: { name: poll }
---
kind: Counted.Operation
metadata: { name: look }
---
kind: Durable.Await
metadata: { name: question }
---
kind: Run.Choice
metadata: { name: pick }
choices: [{ when: !cel inputs.turns > 2.0, value: many }]
default: { value: few }
---
kind: Run.Loop
metadata: { name: again }
condition: !cel iteration < inputs.turns
maxIterations: 9
steps:
  - { name: poll, invoke: !ref poll, inputs: { turn: !cel iteration } }
  - { name: ask, invoke: !ref question, when: !cel iteration == 1 }
outputs: { turn: !cel iteration, polled: !cel steps.poll.result.inputs.turn, before: !cel previous.poll.result.inputs.turn }
---
kind: Run.Projection
metadata: { name: each }
collection: !cel "['a', 'b']"
steps:
  - { name: look, invoke: !ref look, inputs: { item: !cel item } }
outputs: !cel steps.look.result.inputs.item
---
kind: DurableLocal.Workflow
metadata: { name: main }
journal: !ref runs
steps:
  - { name: pick, invoke: !ref pick, inputs: { turns: 3 } }
  - { name: again, invoke: !ref again, inputs: { turns: 3 } }
  - { name: each, invoke: !ref each }
`;

export const REPEATING: Subject = {
  run: 'repeating',
  start: ['run', 'telo.yaml', '--run-id', 'repeating'],
  answers: { 'steps/again/iterate[1]/ask': 'yes' },
  prepare: (sandbox: Sandbox) => sandbox.manifest(DOCUMENTS),
};
