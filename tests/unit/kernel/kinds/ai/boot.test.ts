import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../../../../support/model-server/model-server.ts';
import { folderWith, open } from '../../runtime/support/application.ts';

const KEY = 'sk-canary-7d1e';

const manifest = (kind: string, model: string): string => `kind: Telo.Application
metadata: { name: Writing, version: 0.1.0 }
imports:
  Ai: oci://ghcr.io/telorun/ai@1.0.0
  AiOpenai: oci://ghcr.io/telorun/ai-openai@1.0.0
  Run: oci://ghcr.io/telorun/run@0.25.0
secrets:
  key: { env: MODEL_KEY, type: string }
targets: []
---
kind: ${kind}
metadata: { name: writer }
${model}
---
kind: Run.Value
metadata: { name: told }
value: !cel resources.writer
`;

describe('models of an application', () => {
  it('AI-01 a model is made from a manifest, its key from a secret, and publishes no key', async () => {
    const server = await startModelServer({ kind: 'answer', text: 'hi' });
    const fields = `model: small-1\napiKey: !cel secrets.key\nbaseUrl: ${server.baseUrl}`;
    const folder = folderWith({ 'telo.yaml': manifest('AiOpenai.OpenaiModel', fields) });
    const { kernel, events, stderr } = await open(folder, { env: { MODEL_KEY: KEY } });
    await kernel.boot();

    const answered = await kernel.invoke('told', {});

    expect(answered).toEqual({ model: 'small-1', endpoint: new URL(server.baseUrl).origin });
    expect(inspect([events, stderr()], { depth: 20 })).not.toContain(KEY);
  });

  it('AI-01 the abstract kind has no resources', async () => {
    const folder = folderWith({ 'telo.yaml': manifest('Ai.Model', '') });
    await expect(open(folder, { env: { MODEL_KEY: KEY } })).rejects.toMatchObject({
      diagnostics: [expect.objectContaining({ message: expect.stringMatching(/abstract/i) })],
    });
  });
});
