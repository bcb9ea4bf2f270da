import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './command.ts';
import type { Sandbox } from './sandbox.ts';
import type { Subject } from './sweep.ts';

const EXAMPLE = join(REPOSITORY, 'manifests', 'examples', 'release-notes');

/** The example as it is shipped, over a journal that can be told to fail. */
export function releaseNotes(decision: 'publish' | 'withdraw'): Subject {
  return {
    run: 'release-notes:2.4.0',
    start: ['run', 'telo.yaml', '--inputs', '{"version":"2.4.0"}'],
    answers: { 'steps/approve': { decision } },
    prepare: (sandbox) => prepare(sandbox),
  };
}

function prepare(sandbox: Sandbox): void {
  cpSync(join(EXAMPLE, 'project'), sandbox.workspace, { recursive: true });
  cpSync(join(EXAMPLE, 'plan.xmd'), join(sandbox.folder, 'plan.xmd'));
  const manifest = readFileSync(join(EXAMPLE, 'telo.yaml'), 'utf8')
    .replace('../../durable-journal-sqlite', sandbox.library('DurableJournalSqlite'))
    .replace('../../xmd', `${sandbox.library('Xmd')}\n  Faults: ${sandbox.library('Faults')}`)
    .replace('journal: !ref runs', 'journal: !ref faulty');
  const faulty = '---\nkind: Faults.Journal\nmetadata: { name: faulty }\njournal: !ref runs\n';
  writeFileSync(join(sandbox.folder, 'telo.yaml'), `${manifest.trimEnd()}\n${faulty}`);
}
