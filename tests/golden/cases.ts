import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { evaluating, FLOW } from '../acceptance/xmd/real-kernel.ts';
import { fenced, KEY } from '../acceptance/xmd/plan-scene.ts';
import { startModelServer } from '../support/model-server/model-server.ts';

export interface GoldenCase {
  readonly name: string;
  readonly documents: string;
  readonly imports?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** What each wait that has a token, or no instant, is answered, in order. */
  readonly answers?: readonly unknown[];
  /** The run is left behind after this many entries, as a process that was killed leaves it. */
  readonly killedAfter?: number;
}

const CALL = (name: string, more = ''): string => `kind: Shop.Call\nmetadata: { name: ${name} }\n${more}---\n`;

const workflow = (steps: string): string => `kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { go: !cel inputs.go }
steps:
${steps}`;

const evaluation = (documents: string, text: string): Pick<GoldenCase, 'documents' | 'inputs'> => ({
  documents: documents + FLOW,
  inputs: { text },
});

/** A kind that invokes its target twice at one step path and journals nothing around it. */
const TWICE = `kind: Telo.Library
metadata: { name: Twice, version: 0.1.0 }
exports: { kinds: [Twice] }
---
kind: Telo.Definition
metadata: { name: Twice, description: Invokes its target twice. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./twice.mjs#Twice" ]
schema:
  type: object
  properties:
    target: { description: What it invokes., x-telo-ref: { kind: Telo.Executable, use: call } }
`;
const TWICE_CODE = `export const Twice = {
  create: (resource) => ({
    invoke: async (inputs, context) => {
      await resource.target.invoke(inputs, context);
      return resource.target.invoke(inputs, context);
    },
  }),
};
`;

const OPERATION = (invoke: string, more: string): string => `  - name: Send
    form: self-closing
    grant: write
    description: Sends it.
    revision: '1'
    props: { type: object, properties: { to: { type: string } } }
    invoke: !ref ${invoke}
    ${more}
`;

/** What each manifest records. Names are those of the files in entries/. */
export const CASES: readonly GoldenCase[] = [
  {
    name: 'steps',
    inputs: { go: true },
    documents:
      CALL('call', 'answer: { n: 1 }\n') +
      CALL('fails', 'does: throw\n') +
      workflow(`  - { name: plain, invoke: !ref call, inputs: { go: !cel inputs.go, n: 1 } }
  - { name: bare, invoke: !ref call }
  - { name: skipped, when: !cel "!inputs.go", invoke: !ref call }
  - { name: taken, when: !cel inputs.go, invoke: !ref call }
  - { name: kept, value: !cel "steps.plain.result.n" }
  - name: choice
    if: !cel "!inputs.go"
    then: [{ name: no, value: 1 }]
    elseif: [{ if: !cel inputs.go, then: [{ name: yes, value: 2 }] }]
    else: [{ name: never, value: 3 }]
  - name: turns
    while: !cel "!has(steps.turned)"
    do: [{ name: turned, invoke: !ref call }]
  - name: which
    switch: !cel "'b'"
    cases: { a: [{ name: first, value: 1 }], b: [{ name: second, value: 2 }] }
    default: [{ name: third, value: 3 }]
  - name: guarded
    try: [{ name: broken, invoke: !ref fails, retry: { attempts: 1, initialDelay: 1, jitter: none } }]
    catch: [{ name: told, value: !cel error.code }]
    finally: [{ name: cleaned, value: 1 }]
`),
  },
  {
    name: 'waits',
    answers: [{ ok: true }],
    documents:
      'kind: Durable.Await\nmetadata: { name: ask }\ntimeout: 1h\n---\nkind: Durable.Sleep\nmetadata: { name: rest }\nfor: 1ms\n---\n' +
      'kind: Durable.Value\nmetadata: { name: pin }\nvalue: 7\n---\n' +
      CALL('call') +
      'kind: Durable.Idempotent\nmetadata: { name: region }\nreason: harmless\nsteps: [{ name: inner, invoke: !ref call }]\n---\n' +
      workflow(`  - { name: pinned, invoke: !ref pin }
  - { name: slept, invoke: !ref rest }
  - { name: asked, invoke: !ref ask }
  - { name: region, invoke: !ref region }
`).replace('inputs: { go: !cel inputs.go }\n', ''),
  },
  {
    name: 'repeats',
    inputs: { go: ['x', 'y'] },
    documents:
      CALL('call') +
      `kind: Run.Iteration
metadata: { name: each }
collection: !cel inputs.items
steps: [{ name: one, invoke: !ref call, inputs: { item: !cel item } }]
---
kind: Run.Projection
metadata: { name: project }
collection: !cel inputs.items
steps: [{ name: one, invoke: !ref call, inputs: { item: !cel item } }]
---
` +
      workflow(`  - { name: iterated, invoke: !ref each, inputs: { items: !cel inputs.go } }
  - { name: projected, invoke: !ref project, inputs: { items: !cel inputs.go } }
`),
  },
  {
    name: 'files',
    ...evaluation(
      evaluating(),
      'Before <File path="a.md" />\n<File path="b.md">B</File><Dir path="d"><File path="c.md">C</File></Dir><File.Delete path="a.md" />',
    ),
  },
  { name: 'empty', ...evaluation(evaluating(), 'Prose alone.') },
  { name: 'refused', ...evaluation(evaluating(), 'A line.\n<Unknown />') },
  {
    name: 'failing-effect',
    documents:
      CALL('shop', 'does: throw\n') +
      evaluating(OPERATION('shop', 'inDoubt: retry')) +
      FLOW.replace('inputs: { text: !cel inputs.text } }', (step) =>
        step.replace('} }', '}, retry: { attempts: 1, initialDelay: 1, jitter: none } }'),
      ),
    inputs: { text: '<File path="a.md" /><Send to="x" />' },
  },
  {
    name: 'parking-operation',
    ...evaluation(
      'kind: Durable.Await\nmetadata: { name: person }\n---\n' + evaluating(OPERATION('person', 'inDoubt: retry')),
      '<File path="a.md" /><Send to="x" /><File path="b.md">after</File>',
    ),
    answers: ['agreed'],
  },
  {
    name: 'doubt',
    ...evaluation(CALL('shop') + evaluating(OPERATION('shop', 'inDoubt: ask')), '<Send to="x" />'),
    killedAfter: 4,
    answers: [{ decision: 'done', value: 'sent by hand' }],
  },
  {
    name: 'second-occurrence',
    imports: '  Twice: ./twice\n',
    files: { 'twice/telo.yaml': TWICE, 'twice/twice.mjs': TWICE_CODE },
    documents: `${evaluating()}---
kind: Twice.Twice
metadata: { name: twice }
target: !ref apply
---
${workflow(`  - { name: both, invoke: !ref twice, inputs: { text: '<File path="a.md" />' } }\n`)}`.replace(
      'inputs: { go: !cel inputs.go }\n',
      '',
    ),
  },
];

/** Cases that need a server; its port is taken out of what they record. */
export async function servedCases(): Promise<readonly (GoldenCase & { close(): void })[]> {
  const web = createServer((_request, response) => {
    response.sendDate = false;
    response.end('served');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String(addressOf(web.address()).port)}/a`;
  const model = await startModelServer();
  let asked = 0;
  model.answerWith(() => fenced((asked += 1) === 1 ? '<Write>x</Write>' : '<File path="a.md" />'));
  const fetching = evaluating('', { grants: '[read]' }).replace(
    'grants: [read]\n',
    `grants: [read]\nrequests: [{ url: '${url}' }]\naddresses: ['127.0.0.1/32']\n`,
  );
  return [
    { name: 'fetch', ...evaluation(fetching, `<Fetch url="${url}" />`), close: () => void web.close() },
    {
      name: 'plan',
      imports: '  AiOpenai: oci://ghcr.io/telorun/ai-openai@1.0.0\n',
      documents: `kind: AiOpenai.OpenaiModel
metadata: { name: writer }
model: small-1
apiKey: ${KEY}
baseUrl: ${model.baseUrl}
---
kind: Xmd.Profile
metadata: { name: workspace }
root: ./work
grants: [read]
---
kind: Xmd.Plan
metadata: { name: asking }
model: !ref writer
repair: { attempts: 1 }
---
${workflow('  - { name: ask, invoke: !ref asking, inputs: { prompt: Read. } }\n').replace('inputs: { go: !cel inputs.go }\n', '')}`,
      close: () => undefined,
    },
  ];
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (typeof address === 'object' && address !== null) return address;
  throw new Error('the server listens nowhere');
}
