import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelServer } from '../model-server/model-server.ts';
import { putExample } from './examples.ts';
import type { EnvOf } from './sandbox.ts';
import type { Subject } from './sweep.ts';

/** The evidence loop as it is shipped, over a journal that can be told to fail and a model that counts. */
export function evidenceLoop(server: ModelServer): Subject {
  return {
    run: 'evidence:checkout',
    start: startWith({ subject: 'checkout', task: 'Write report.md: what happened, when, and why.' }),
    answers: { 'steps/approve': { agreed: true } },
    prepare: (sandbox) => putExample(sandbox, 'evidence-loop'),
    envOf: modelEnv(server),
  };
}

/** The same of the full loop, whose first plan is not approved, and whose second one is. */
export function planAndApprove(server: ModelServer): Subject {
  return {
    run: 'change:color',
    start: startWith({ subject: 'color', task: 'Rename the option colour to color.' }),
    answers: {
      'steps/draft/iterate[0]/review': { approved: false, remark: 'Keep config.old.json.' },
      'steps/draft/iterate[1]/review': { approved: true },
    },
    prepare: (sandbox) => putExample(sandbox, 'plan-and-approve'),
    envOf: modelEnv(server),
  };
}

function startWith(inputs: Readonly<Record<string, string>>): readonly string[] {
  return ['run', 'telo.yaml', '--inputs', JSON.stringify(inputs)];
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
