import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from './sandbox.ts';
import type { Subject } from './sweep.ts';

/** Twenty effects: reads, writes, nested folders, removals, replacements, a wait, and an operation of the host. */
const FRAGMENT = `I look at what is there.
<File path="README.md" />
<File path="data/config.json" />
<Record title="first" />
<Dir path="out">
<File path="one.txt">one</File>
<Dir path="deep">
<File path="two.txt" fenced>
\`\`\`text
two
  {braces} and tabs	stay
\`\`\`
</File>
<Dir path="deeper"><File path="three.txt">three</File></Dir>
</Dir>
</Dir>
<File path="out/copy.md"><File path="README.md" /></File>
<File path="src/main.txt">replaced</File>
<File.Delete path="old/a.txt" />
<Ask question="Go on?" />
<File path="out/one.txt">one again</File>
<File path="out/one.txt" />
<File.Delete path="old/b.txt" />
<Record title="second" />
<File path="fresh/sub/leaf.txt">leaf</File>
<File.Delete path="out/deep/two.txt" />
That was all.`;

const DOCUMENTS = `
kind: Counted.Operation
metadata: { name: record }
---
kind: Durable.Await
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
  - name: Ask
    form: self-closing
    grant: read
    revision: '1'
    props: { type: object, properties: { question: { type: string } } }
    invoke: !ref question
    inputs: { request: !cel props.question }
---
kind: Xmd.Evaluate
metadata: { name: applyPlan }
profile: !ref workspace
allow: [read, write]
---
kind: DurableLocal.Workflow
metadata: { name: main }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
  - { name: apply, invoke: !ref applyPlan, inputs: { text: !cel inputs.text } }
`;

const ASK = 'steps/apply/xmd[7]/Ask';

export const TWENTY_EFFECTS: Subject = {
  run: 'twenty',
  start: ['run', 'telo.yaml', '--run-id', 'twenty', '--inputs', JSON.stringify({ text: FRAGMENT })],
  // An answer that looks like a failure: it is the value of the effect all the same.
  answers: { [ASK]: { code: 'ERR_TEST', message: 'no failure, an answer', error: true } },
  prepare,
};

function prepare(sandbox: Sandbox): void {
  sandbox.manifest(DOCUMENTS);
  sandbox.put('README.md', '# read me\r\n');
  sandbox.put('data/config.json', '{"a": 1}\n');
  sandbox.put('src/main.txt', 'as it was');
  // A replaced file keeps its mode, also across a kill between its replacement and the record.
  chmodSync(join(sandbox.workspace, 'src/main.txt'), 0o750);
  sandbox.put('old/a.txt', 'a');
  sandbox.put('old/b.txt', 'b');
}
