import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PLAN_CODES } from '../../../controllers/xmd/planning/problems.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/model-server.ts';
import { fenced, KEY } from './plan-scene.ts';
import { World } from './real-kernel.ts';

const IMPORTS = '  AiOpenai: oci://ghcr.io/telorun/ai-openai@1.0.0\n';

/** Asks what to read, reads it, asks what to write on that evidence, waits for a person, writes. */
const documents = (baseUrl: string): string => `kind: AiOpenai.OpenaiModel
metadata: { name: writer }
model: small-1
apiKey: ${KEY}
baseUrl: ${baseUrl}
---
kind: Xmd.Profile
metadata: { name: workspace }
root: ./work
grants: [read, write]
---
kind: Xmd.Plan
metadata: { name: asking }
model: !ref writer
repair: { attempts: 1 }
---
kind: Xmd.Plan
metadata: { name: writing }
model: !ref writer
allow: [read, write]
repair: { attempts: 1 }
---
kind: Xmd.Syntax
metadata: { name: syntax }
---
kind: Xmd.Evaluate
metadata: { name: look }
profile: !ref workspace
---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref workspace
allow: [read, write]
---
kind: Durable.Await
metadata: { name: approval }
outputType: { type: object }
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { prompt: !cel inputs.prompt }
steps:
  - { name: ask, invoke: !ref asking, inputs: { prompt: !cel inputs.prompt } }
  - { name: look, invoke: !ref look, inputs: { text: !cel steps.ask.result } }
  - name: write
    invoke: !ref writing
    inputs: { prompt: !cel inputs.prompt, observations: !cel steps.look.result.observations }
  - { name: approve, invoke: !ref approval, inputs: { request: { text: !cel steps.write.result } } }
  - { name: apply, invoke: !ref apply, inputs: { text: !cel steps.write.result } }
`;

/** Asks for a.md; once it was told what is in it, writes that into b.md, wrongly at first. */
function scripted(server: ModelServer): void {
  server.answerWith(({ body }) => {
    const [, user, ...repair] = Array.isArray(body['messages']) ? body['messages'] : [];
    const told = /"value":"(\w+)"/.exec(String(Object(user).content))?.[1];
    if (told === undefined) return fenced('<File path="a.md" />');
    return fenced(repair.length === 0 ? '<Write>x</Write>' : `<File path="b.md">${told}!</File>`);
  });
}

describe('a plan in the kernel', () => {
  it('PL-12 asks, looks, writes on the evidence, waits and goes on in another process, each answer asked for once', async () => {
    const server = await startModelServer();
    scripted(server);
    const world = new World(documents(server.baseUrl), { imports: IMPORTS });
    const first = await world.process();

    expect(await first.run('r', { prompt: 'Copy.' })).toMatchObject({ status: 'parked' });
    expect([server.asked.length, world.get('b.md')]).toEqual([3, undefined]);
    await first.kernel.close();

    const second = await world.process();
    await second.workflow.journal.answer({ run: 'r' }, { agreed: true });
    expect(await second.workflow.execute('r')).toMatchObject({ status: 'completed' });

    expect([server.asked.length, world.get('b.md')]).toEqual([3, 'a!']);
    expect((await second.keys('r')).filter((path) => path.includes('draft'))).toEqual([
      'steps/ask/draft[0]',
      'steps/write/draft[0]',
      'steps/write/draft[1]',
    ]);
    expect(await second.value('r', 'steps/write')).toBe('<File path="b.md">a!</File>\n');
    expect(readFileSync(join(world.folder, 'runs.db')).includes(KEY)).toBe(false);
  });

  it('PL-03 refuses at the check what is no model, and at its line', async () => {
    const world = new World(documents('http://127.0.0.1:9/v1').replaceAll('model: !ref writer', 'model: !ref look'), {
      imports: IMPORTS,
    });

    const found = await world.check();

    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/REFERENCE_KIND_MISMATCH$/);
  });

  it('PL-40 documents the syntax of an application', async () => {
    const world = new World(documents('http://127.0.0.1:9/v1'), { imports: IMPORTS });
    const process = await world.process();

    await expect(process.invoke('Xmd.Syntax', 'syntax', {})).resolves.toMatchObject({
      markdown: expect.stringContaining('### File, self-closing (read)'),
      symbols: [{ name: 'File', available: true }],
    });
  });

  it('PL-15 documents every code that a plan raises of its own', () => {
    const library = readFileSync(resolve(import.meta.dirname, '../../../manifests/xmd/telo.yaml'), 'utf8');
    const plan = parseAllDocuments(library)
      .map((document): Record<string, unknown> => document.toJS())
      .find(({ metadata }) => Object(metadata).name === 'Plan');
    const codes = Object.keys(Object(Object(plan?.['throws']).codes));

    expect(codes.filter((code) => code.startsWith('ERR_XMD_PLAN_')).toSorted()).toEqual([...PLAN_CODES].toSorted());
  });
});
