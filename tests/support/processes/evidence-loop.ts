import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelServer } from '../model-server/model-server.ts';
import { putExample } from './examples.ts';
import type { EnvOf } from './sandbox.ts';
import type { Subject } from './sweep.ts';

const TASK = 'Write report.md: what happened, when, and why.';

/** The evidence loop as it is shipped, over a journal that can be told to fail and a model that counts. */
export function evidenceLoop(server: ModelServer): Subject {
  return {
    run: 'evidence:checkout',
    start: ['run', 'telo.yaml', '--inputs', JSON.stringify({ subject: 'checkout', task: TASK })],
    answers: { 'steps/approve': { agreed: true } },
    prepare: (sandbox) => putExample(sandbox, 'evidence-loop'),
    envOf: modelEnv(server),
  };
}

/** Each folder has an address of its own at the model. */
function modelEnv({ baseUrl }: ModelServer): EnvOf {
  return (folder) => ({ MODEL_URL: baseUrl.replace('/v1', `/${encodeURIComponent(folder)}/v1`) });
}

/** Lets the model answer, and log each request in the folder that asked: one `call`, named by the digest of the prompt. */
export function countedAnswers(server: ModelServer, answer: (messages: unknown) => string): void {
  server.answerWith(({ url, text, body }) => {
    const folder = decodeURIComponent(/^POST \/([^/]+)\//.exec(url)?.[1] ?? '');
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
    appendFileSync(join(folder, 'log'), `call\tmodel ${digest}\t\t\n`);
    return answer(body['messages']);
  });
}
