import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './command.ts';
import type { Sandbox } from './sandbox.ts';

const EXAMPLES = join(REPOSITORY, 'manifests', 'examples');

/**
 * Puts an example into a sandbox as it is shipped, over a journal that can be told to fail. `edit` sees the manifest.
 *
 * Effect: writes the manifest, its fragment and the workspace.
 */
export function putExample(sandbox: Sandbox, name: string, edit = (manifest: string): string => manifest): void {
  const example = join(EXAMPLES, name);
  cpSync(join(example, 'project'), sandbox.workspace, { recursive: true });
  const fragment = join(example, 'plan.xmd');
  if (existsSync(fragment)) cpSync(fragment, join(sandbox.folder, 'plan.xmd'));
  const manifest = readFileSync(join(example, 'telo.yaml'), 'utf8')
    .replace('../../durable-journal-sqlite', sandbox.library('DurableJournalSqlite'))
    .replace('../../xmd', `${sandbox.library('Xmd')}\n  Faults: ${sandbox.library('Faults')}`)
    .replaceAll('journal: !ref runs', 'journal: !ref faulty');
  const faulty = '---\nkind: Faults.Journal\nmetadata: { name: faulty }\njournal: !ref runs\n';
  writeFileSync(join(sandbox.folder, 'telo.yaml'), edit(`${manifest.trimEnd()}\n${faulty}`));
}

/** What the scripted model of an example answers. Effect: loads its module. */
export async function answersOf(name: string): Promise<(messages: unknown) => string> {
  const loaded: { answer: (messages: unknown) => string } = await import(join(EXAMPLES, name, 'answers.mjs'));
  return loaded.answer;
}
