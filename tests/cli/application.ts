import { relative } from 'node:path';
import { realpathSync } from 'node:fs';
import { type Place, ROOT } from './command-line.ts';

/** A controller that says that it began and then waits: until it is told to stop, or for ever. */
const SLOW = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
const log = join(import.meta.dirname, 'effects.log');
export const Mark = {
  create: (resource) => ({ invoke: async () => (appendFileSync(log, resource.metadata.name + '\\n'), resource.metadata.name) }),
};
export const Hang = {
  create: (resource) => ({
    invoke: (_inputs, context) => {
      appendFileSync(log, resource.metadata.name + '\\n');
      process.stderr.write('hanging\\n');
      if (resource.once && process.env.RELEASED === '1') return 'released';
      const alive = setInterval(() => undefined, 1000);
      return new Promise((_resolve, reject) => {
        if (resource.deaf) return;
        context.cancellation.onCancelled(() => {
          clearInterval(alive);
          reject(Object.assign(new Error('stopped'), { code: 'ERR_INVOKE_CANCELLED' }));
        });
      });
    },
  }),
};
export const Fail = {
  create: (resource) => ({
    invoke: async () => {
      throw Object.assign(new Error(resource.text), { code: 'ERR_TEST_FAIL' });
    },
  }),
};
`;

const LIBRARY = `
kind: Telo.Library
metadata: { name: Slow, version: 1.0.0 }
exports: { kinds: [Mark, Hang, Fail] }
---
kind: Telo.Definition
metadata: { name: Mark }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./slow.mjs#Mark']
schema: { type: object, additionalProperties: false, properties: {} }
---
kind: Telo.Definition
metadata: { name: Hang }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./slow.mjs#Hang']
schema:
  type: object
  additionalProperties: false
  properties: { deaf: { type: boolean }, once: { type: boolean } }
---
kind: Telo.Definition
metadata: { name: Fail }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./slow.mjs#Fail']
schema: { type: object, additionalProperties: false, properties: { text: { type: string } } }
`;

/** Text that a terminal would obey: an escape sequence, an override of direction, a zero-width space. */
export const EVIL = 'a\u001b[2Jb\u202ec\u200bd';

function manifest(folder: string): string {
  const library = (name: string): string => relative(realpathSync(folder), `${ROOT}/manifests/${name}`);
  return `
kind: Telo.Application
metadata: { name: Tried, version: 1.0.0 }
imports:
  Run: oci://ghcr.io/telorun/run@0.25.0
  Console: oci://ghcr.io/telorun/console@latest
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalSqlite: ${library('durable-journal-sqlite')}
  Xmd: ${library('xmd')}
  Slow: ./slow
variables:
  greeting: { type: string, env: GREETING, default: hello }
targets: [!ref greet]
---
kind: Run.Sequence
metadata: { name: greet }
steps:
  - { name: say, invoke: !ref line, inputs: { output: !cel variables.greeting } }
---
kind: Console.WriteLine
metadata: { name: line }
---
kind: DurableJournalSqlite.Journal
metadata: { name: runs }
---
kind: Xmd.Profile
metadata: { name: files }
root: ./files
grants: [read, write]
---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref files
allow: [read, write]
---
kind: Durable.Await
metadata: { name: approval }
outputType:
  type: object
  additionalProperties: false
  required: [ok]
  properties: { ok: { type: boolean }, remark: { type: string } }
---
kind: Slow.Mark
metadata: { name: first }
---
kind: Slow.Mark
metadata: { name: last }
---
kind: Slow.Hang
metadata: { name: hang }
once: true
---
kind: Slow.Hang
metadata: { name: deaf }
deaf: true
---
kind: Slow.Fail
metadata: { name: fail }
text: "it broke \\e[2J\\u202e"
---
kind: DurableLocal.Workflow
metadata: { name: evaluates }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
  - { name: apply, invoke: !ref apply, inputs: { text: !cel inputs.text } }
---
kind: DurableLocal.Workflow
metadata: { name: asks }
journal: !ref runs
inputs: { question: !cel "has(inputs.question) ? inputs.question : 'Go on?'" }
steps:
  - { name: first, invoke: !ref first }
  - { name: approve, invoke: !ref approval, inputs: { request: !cel inputs.question } }
  - { name: last, invoke: !ref last }
---
kind: DurableLocal.Workflow
metadata: { name: hangs }
journal: !ref runs
steps:
  - { name: first, invoke: !ref first }
  - { name: hang, invoke: !ref hang }
  - { name: last, invoke: !ref last }
---
kind: DurableLocal.Workflow
metadata: { name: deafens }
journal: !ref runs
steps:
  - { name: deaf, invoke: !ref deaf }
---
kind: DurableLocal.Workflow
metadata: { name: fails }
journal: !ref runs
steps:
  - { name: first, invoke: !ref first }
  - { name: fail, invoke: !ref fail }
---
kind: Run.Iteration
metadata: { name: both }
collection: [1, 2]
concurrency: 2
steps:
  - { name: ask, invoke: !ref approval }
---
kind: DurableLocal.Workflow
metadata: { name: asksTwice }
journal: !ref runs
steps:
  - { name: both, invoke: !ref both }
`;
}

/** Writes the application that the commands are tried on: `app/telo.yaml` with its workspace and a library. */
export function writeApplication(place: Place): void {
  place.write('app/slow/telo.yaml', LIBRARY);
  place.write('app/slow/slow.mjs', SLOW);
  place.write('app/files/notes.md', 'kept\n');
  place.write('app/telo.yaml', manifest(place.path('app')));
}
