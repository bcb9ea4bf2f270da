import type { Sandbox } from './sandbox.ts';
import type { Subject } from './sweep.ts';

const FRAGMENT = 'I look: <File path="a.md" />\n<Record title="one" />\n<File path="out/b.md">B</File>\n';

/** Lines of the Evaluate that makes its text by steps: a wait, a counted producer, and the text of what it answered. */
const CONTENT = `content:
  - { name: ask, invoke: !ref question }
  - { name: draft, invoke: !ref producer, inputs: { text: !cel inputs.task } }
  - { name: text, value: !cel steps.draft.result.inputs.text }
`;

/** An application that evaluates what the steps of `evaluate` make of its task, and goes on. Effect. */
export function writeContent(sandbox: Sandbox, evaluate = CONTENT): void {
  sandbox.manifest(`
${['producer', 'record', 'later', 'other'].map((name) => `kind: Counted.Operation\nmetadata: { name: ${name} }\n---\n`).join('')}kind: Durable.Await
metadata: { name: question }
---
kind: Xmd.Profile
metadata: { name: workspace }
root: ./workspace
grants: [read, write]
operations:
  - name: Record
    form: self-closing
    grant: write
    revision: '1'
    inDoubt: retry
    props: { type: object, properties: { title: { type: string } } }
    invoke: !ref record
---
kind: Xmd.Evaluate
metadata: { name: applyPlan }
profile: !ref workspace
allow: [read, write]
${evaluate}---
kind: DurableLocal.Workflow
metadata: { name: main }
journal: !ref runs
inputs: { task: !cel inputs.task }
steps:
  - { name: apply, invoke: !ref applyPlan, inputs: { inputs: { task: !cel inputs.task } } }
  - { name: later, invoke: !ref later }
`);
}

export const MADE_BY_CONTENT: Subject = {
  run: 'made',
  start: ['run', 'telo.yaml', '--run-id', 'made', '--inputs', JSON.stringify({ task: FRAGMENT })],
  answers: { 'steps/apply/content/ask': 'go on' },
  prepare: (sandbox) => {
    sandbox.put('a.md', 'a');
    writeContent(sandbox);
  },
};
