// Manifests for the bench: one workflow each, over N effects of one kind.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const manifests = join(import.meta.dirname, '..', 'manifests');

/** Writes an application whose run performs `n` effects; answers its folder. Modes: read, write, steps, park. */
export function writeApplication(folder, { n, mode }) {
  mkdirSync(join(folder, 'files'));
  if (mode === 'read' || mode === 'park') {
    // A result holds what was read twice, as observation and as output, and ends at 64 MiB.
    const bytes = n > 20_000 ? 256 : 1024;
    for (let index = 0; index < Math.min(n, 1000); index += 1) {
      writeFileSync(join(folder, 'files', `f${index}.txt`), `${index}`.padEnd(bytes - 1, '.') + '\n');
    }
  }
  writeFileSync(join(folder, 'plan.xmd'), planOf(n, mode));
  writeFileSync(join(folder, 'telo.yaml'), manifestOf(folder, n, mode));
  return folder;
}

function planOf(n, mode) {
  const lines = [];
  for (let index = 0; index < n; index += 1) {
    lines.push(
      mode === 'write'
        ? `<File path="f${index}.txt">${`${index}`.padEnd(1024, '.')}</File>`
        : `<File path="f${index % 1000}.txt" />`,
    );
  }
  if (mode === 'park') lines.push('<Wait />');
  return lines.join('\n');
}

function manifestOf(folder, n, mode) {
  const here = (name) => relative(folder, join(manifests, name));
  const body =
    mode === 'steps'
      ? Array.from(
          { length: n },
          (_, index) => `  - { name: s${index}, invoke: !ref value, inputs: { index: ${index} } }`,
        )
      : ['  - { name: apply, invoke: !ref evaluate }'];
  return `kind: Telo.Application
metadata: { name: Bench, version: 1.0.0 }
imports:
  Run: oci://ghcr.io/telorun/run@0.25.0
  Durable: oci://ghcr.io/telorun/durable@0.2.0
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalSqlite: ${here('durable-journal-sqlite')}
  Xmd: ${here('xmd')}
---
kind: DurableJournalSqlite.Journal
metadata: { name: runs }
file: ${JSON.stringify(join(folder, 'runs.db'))}
---
kind: Xmd.Profile
metadata: { name: profile }
root: ./files
grants: [read, write]
limits: { elements: 200000, textBytes: 16777216, resultBytes: 67108864 }
operations:
  - { name: Wait, form: self-closing, grant: read, revision: "1", invoke: !ref wait }
---
kind: Xmd.Evaluate
metadata: { name: evaluate }
profile: !ref profile
allow: [${mode === 'write' ? 'write' : 'read'}]
text: !include-text ./plan.xmd
---
kind: Durable.Await
metadata: { name: wait }
---
kind: Run.Value
metadata: { name: value }
value: { ok: true }
---
kind: DurableLocal.Workflow
metadata: { name: bench }
journal: !ref runs
runId: bench
steps:
${body.join('\n')}
`;
}

/** Writes the smallest application that says something; answers its manifest. */
export function writeHello(folder) {
  const file = join(folder, 'telo.yaml');
  writeFileSync(
    file,
    `kind: Telo.Application
metadata: { name: Hello, version: 1.0.0 }
imports:
  Console: oci://ghcr.io/telorun/console@0.5.0
targets:
  - invoke: !ref Console.writeLine
    inputs: { output: hello }
`,
  );
  return file;
}
