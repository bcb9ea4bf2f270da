import { createCancellationSource, deriveContext } from '@telorun/sdk';
import { expect, it } from 'vitest';
import { MemoryRun } from '../../../support/memory-handle.ts';
import { folderWith, header, open } from './support/application.ts';

/** A library of parts that log their life, and of kinds that are made of them. */
const LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
imports:
  Durable: oci://ghcr.io/telorun/durable@0.1.0
  Run: oci://ghcr.io/telorun/run@0.25.0
variables:
  greeting: { type: string, default: hello }
exports: { kinds: [Part, Greeting, Serving, Wrapped, Lent, Nested, Held, Asking, Board], resources: [shared] }
---
kind: Telo.Definition
metadata: { name: Part, description: Logs its life. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./part.mjs#Part" ]
schema:
  type: object
  additionalProperties: false
  properties:
    uses: { x-telo-ref: { kind: Telo.Resource, use: dependency } }
    label: { type: string, x-telo-eval: compile }
    plain: { type: string }
    last: { type: boolean }
---
kind: Telo.Definition
metadata: { name: Server, description: Serves. }
capability: Telo.Service
controllers: [ "pkg:telo/local/js?path=./part.mjs#Server" ]
schema: { type: object, additionalProperties: false }
---
kind: Telo.Abstract
metadata: { name: Source }
capability: Telo.Provider
---
kind: Telo.Definition
metadata: { name: Fixed, description: Has a value. }
capability: Telo.Provider
extends: Self.Source
controllers: [ "pkg:telo/local/js?path=./part.mjs#Fixed" ]
schema: { type: object, additionalProperties: false, properties: { of: { type: string } } }
---
kind: Self.Part
metadata: { name: shared }
---
kind: Telo.Definition
metadata: { name: Greeting, description: Greets. }
capability: Telo.Invocable
inputType: { type: object, additionalProperties: false, properties: { n: { type: number, default: 1 } } }
schema:
  type: object
  required: [who]
  additionalProperties: false
  properties:
    who: { type: string, x-telo-eval: compile }
    mark: { type: string, default: '!' }
resources:
  - { kind: Self.Part, metadata: { name: part }, uses: !ref shared, label: !cel "self.who + '?'", plain: !cel self.who + self.mark }
  - kind: Run.Sequence
    metadata: { name: body }
    steps:
      - { name: text, value: !cel "variables.greeting + ' ' + self.who + self.mark" }
      - { name: one, invoke: !ref part, inputs: { n: !cel inputs.n, of: !cel resources.part.named } }
    outputs: { text: !cel steps.text.result, part: !cel steps.one.result }
invoke: !ref body
inputs: { n: !cel inputs.n + 1.0 }
result: { text: !cel result.text, part: !cel result.part, who: !cel self.who, given: !cel inputs.n, from: !cel variables.greeting }
---
kind: Telo.Definition
metadata: { name: Serving, description: Serves. }
capability: Telo.Service
resources: [{ kind: Self.Server, metadata: { name: server } }]
run: !ref server
---
kind: Telo.Definition
metadata: { name: Wrapped, description: A source, in words. }
capability: Telo.Provider
extends: Self.Source
schema: { type: object, properties: { text: { type: string } } }
resources: [{ kind: Self.Fixed, metadata: { name: fixed }, of: !cel "'<' + self.text + '>'" }]
provide: !ref fixed
---
kind: Telo.Definition
metadata: { name: Lent, description: Calls what it was given. }
capability: Telo.Invocable
schema:
  type: object
  additionalProperties: false
  properties:
    tool: { x-telo-ref: { kind: Telo.Executable, use: call } }
    last: { type: boolean, default: false }
resources:
  - { kind: Self.Part, metadata: { name: lent }, uses: !cel self.tool, last: !cel self.last }
invoke: !ref lent
---
kind: Telo.Definition
metadata: { name: Nested, description: A template in a template. }
capability: Telo.Invocable
schema: { type: object, properties: { name: { type: string } } }
resources:
  - { kind: Self.Greeting, metadata: { name: deep }, who: !cel "'deep ' + self.name" }
  - kind: Run.Sequence
    metadata: { name: shared }
    steps: [{ name: a, invoke: { kind: Self.Greeting, who: !cel "'inline ' + self.name" } }]
  - kind: Run.Sequence
    metadata: { name: all }
    steps: [{ name: a, invoke: !ref deep }, { name: b, invoke: !ref shared }]
    outputs: [!cel steps.a.result.text, !cel steps.b.result.a.result.text, !cel steps.a.result.part.uses.name]
invoke: !ref all
---
kind: Telo.Definition
metadata: { name: Held, description: Holds what fails to begin. }
capability: Telo.Invocable
resources:
  - { kind: Self.Part, metadata: { name: sound } }
  - { kind: Self.Part, metadata: { name: broken }, uses: !ref sound, plain: broken }
invoke: !ref broken
---
kind: Telo.Definition
metadata: { name: Asking, description: Asks. }
capability: Telo.Invocable
resources: [{ kind: Durable.Await, metadata: { name: gate } }]
invoke: !ref gate
result: { said: !cel result }
---
kind: Telo.Definition
metadata: { name: Table, description: Is mounted. }
capability: Telo.Mount
controllers: [ "pkg:telo/local/js?path=./part.mjs#Table" ]
schema: { type: object, additionalProperties: false, properties: { of: { type: string } } }
---
kind: Telo.Definition
metadata: { name: Board, description: A table by another name. }
capability: Telo.Mount
schema: { type: object, additionalProperties: false, properties: { title: { type: string } } }
resources: [{ kind: Self.Table, metadata: { name: table }, of: !cel "self.title + '!'" }]
mount: !ref table
`;

const BUNDLE = `const log = (globalThis.templateLog ??= []);
export const Part = { create: (resource) => ({
  log,
  ...(resource.last === true ? { teardownPriority: 1000 } : {}),
  init: () => { if (resource.plain === 'broken') throw new Error('no part'); log.push('init ' + resource.metadata.name); },
  invoke: async (inputs) => {
    log.push('invoke ' + resource.metadata.name);
    return { name: resource.metadata.name, inputs, label: resource.label ?? null, plain: resource.plain ?? null,
      uses: resource.uses === undefined ? null : await resource.uses.invoke({}) };
  },
  snapshot: () => ({ named: resource.metadata.name }),
  teardown: () => { log.push('teardown ' + resource.metadata.name); },
}) };
export const Server = { create: (resource, ctx) => {
  let release;
  return { run: async () => { release = ctx.acquireHold('serving'); log.push('serves'); },
    teardown: () => { release?.(); log.push('stops'); } };
} };
export class Value { #of; constructor(of) { this.#of = of; } provide() { return this.#of; } get size() { return this.#of.length; }
  snapshot() { return { of: this.#of }; } }
export const Table = { create: (resource) => ({ register: (app, prefix) => { app[prefix] = resource.of; } }) };
export const Fixed = { create: (resource) => new Value(resource.of) };
`;

const IMPORTS = header('[]').replace('imports:', 'imports:\n  Lib: { source: ./lib, variables: { greeting: hi } }');

async function opened(resources: string) {
  const log: string[] = [];
  Reflect.set(globalThis, 'templateLog', log);
  const files = { 'telo.yaml': `${IMPORTS}---\n${resources}`, 'lib/telo.yaml': LIBRARY, 'lib/part.mjs': BUNDLE };
  const { kernel } = await open(folderWith(files));
  return { kernel, log };
}

const TWO = `kind: Lib.Greeting
metadata: { name: first }
who: !cel "'A' + 'da'"
---
kind: Lib.Greeting
metadata: { name: second }
who: Bob
mark: .
`;

it('TP-01 TP-03 an instance answers with its own resources, over self, the inputs of the call and the result', async () => {
  const { kernel } = await opened(TWO);
  const answer = {
    text: 'hi Ada!',
    part: { name: 'part', inputs: { n: 2, of: 'part' }, label: 'Ada?', plain: 'Ada!', uses: { name: 'shared' } },
    who: 'Ada',
    given: 1,
    from: 'hi',
  };
  expect(await kernel.invoke('first')).toMatchObject(answer);
  expect(await kernel.invoke('second', { n: 4 })).toMatchObject({
    text: 'hi Bob.',
    part: { inputs: { n: 5 }, plain: 'Bob.' },
    given: 4,
  });
  await expect(kernel.invoke('first', { m: 1 })).rejects.toMatchObject({ code: 'ERR_INPUT_INVALID' });
});

it('TP-02 each instance has resources of its own, made before it and torn down before what they use', async () => {
  const { kernel, log } = await opened(TWO);
  expect(log).toEqual(['init shared', 'init part', 'init part']);
  expect(() => kernel.instance('part')).toThrow('no live resource');
  log.length = 0;
  await kernel.close();
  expect(log).toEqual(['teardown part', 'teardown part', 'teardown shared']);
});

it('TP-02 the resources of a template see the values that its importer gave the library', async () => {
  Reflect.set(globalThis, 'templateLog', []);
  const imports = IMPORTS.replace('imports:', 'imports:\n  Other: { source: ./lib, variables: { greeting: salut } }');
  const other = TWO.replace('kind: Lib', 'kind: Other');
  const files = { 'telo.yaml': `${imports}---\n${other}`, 'lib/telo.yaml': LIBRARY, 'lib/part.mjs': BUNDLE };
  const { kernel } = await open(folderWith(files));
  expect(await kernel.invoke('first')).toMatchObject({ text: 'salut Ada!', from: 'salut' });
  expect(await kernel.invoke('second')).toMatchObject({ text: 'hi Bob.', from: 'hi' });
});

it('TP-04 a template inside a template, by name and in place, sees its own names and its own self', async () => {
  const { kernel } = await opened(`kind: Lib.Nested\nmetadata: { name: nested }\nname: x\n`);
  expect(await kernel.invoke('nested')).toEqual(['hi deep x!', 'hi inline x!', 'shared']);
});

it('TP-05 hands a live resource on, and is torn down as late as what it holds', async () => {
  const { kernel, log } = await opened(`kind: Lib.Lent
metadata: { name: lends }
tool: !ref tool
last: true
---
kind: Run.Value
metadata: { name: tool }
value: !cel "'from the module'"
---
kind: Lib.Part
metadata: { name: early }
uses: !ref lends
`);
  expect(await kernel.invoke('lends')).toMatchObject({ name: 'lent', uses: 'from the module' });
  log.length = 0;
  await kernel.close();
  expect(log).toEqual(['teardown early', 'teardown shared', 'teardown lent']);
});

it('TP-06 run starts a service, provide stands for a provider with every member of it', async () => {
  const { kernel, log } = await opened(`kind: Lib.Serving
metadata: { name: serving }
---
kind: Lib.Wrapped
metadata: { name: wrapped }
text: in
---
kind: Run.Value
metadata: { name: read }
value: !cel resources.wrapped.of
`);
  const wrapped = kernel.instance('wrapped');
  expect([wrapped.provide?.(), Reflect.get(wrapped, 'size'), await kernel.invoke('read')]).toEqual(['<in>', 4, '<in>']);
  expect(kernel.instancesOfKind('Lib.Source').map(({ name }) => name)).toEqual(['wrapped']);
  await kernel.instance('serving').run?.();
  await kernel.instance('serving').teardown?.();
  await kernel.idle();
  expect(log).toEqual(['init shared', 'serves', 'stops']);
});

it('TP-06 mount registers what answers', async () => {
  const { kernel } = await opened(`kind: Lib.Board\nmetadata: { name: board }\ntitle: x\n`);
  const app = {};
  const register: unknown = Reflect.get(kernel.instance('board'), 'register');
  if (typeof register !== 'function') throw new Error('the board cannot be mounted');
  register(app, '/b');
  expect(app).toEqual({ '/b': 'x!' });
});

it('TP-04 an instance that lives for one call takes its resources with it', async () => {
  const { kernel, log } = await opened(`kind: Run.Sequence
metadata: { name: main }
with: [{ kind: Lib.Greeting, metadata: { name: brief }, who: Eve }]
steps: [{ name: a, invoke: !ref brief }]
outputs: !cel steps.a.result.text
`);
  log.length = 0;
  expect([await kernel.invoke('main'), await kernel.invoke('main')]).toEqual(['hi Eve!', 'hi Eve!']);
  const life = ['init part', 'invoke part', 'invoke shared', 'teardown part'];
  expect(log).toEqual([...life, ...life]);
  log.length = 0;
  await kernel.close();
  expect(log).toEqual(['teardown shared']);
});

it('TP-07 what fails to begin fails the instance, and what was made is torn down once', async () => {
  await expect(opened(`kind: Lib.Held\nmetadata: { name: held }\n`)).rejects.toMatchObject({
    code: 'ERR_RESOURCE_INITIALIZATION_FAILED',
    message: expect.stringContaining('Lib.Part "broken"'),
  });
  const log: unknown = Reflect.get(globalThis, 'templateLog');
  expect(log).toEqual(['init shared', 'init sound', 'teardown broken', 'teardown sound', 'teardown shared']);
});

it('TP-08 in a run, the call of what answers is a step below the step that called', async () => {
  const { kernel } = await opened(`${TWO}---
kind: Lib.Asking
metadata: { name: asking }
---
kind: Run.Sequence
metadata: { name: main }
steps:
  - { name: x, invoke: !ref second, inputs: { n: 2 } }
  - { name: y, invoke: !ref asking }
outputs: [!cel steps.x.result.text, !cel steps.y.result]
`);
  const main = kernel.instance('main');
  const run = new MemoryRun();
  const within = () =>
    main.invoke?.(
      {},
      deriveContext(createCancellationSource().context, { durable: run.open(), durablePath: 'steps/main' }),
    );
  await expect(within()).rejects.toMatchObject({ code: 'ERR_DURABLE_SUSPENDED', path: 'steps/main/y/invoke' });
  expect(run.deliver('steps/main/y/invoke', 'yes')).toBe(true);
  expect(await within()).toEqual(['hi Bob.', { said: 'yes' }]);
  expect(run.keys()).toEqual([
    'steps/main/x/inputs',
    'steps/main/x/invoke/inputs',
    'steps/main/x/invoke/text',
    'steps/main/x/invoke/one/inputs',
    'steps/main/x/invoke/one',
    'steps/main/x/invoke',
    'steps/main/x',
    'steps/main/y/invoke/inputs',
    'steps/main/y/invoke/token',
    'steps/main/y/invoke',
    'steps/main/y',
  ]);
  const targets = ['x', 'x/invoke', 'x/invoke/one'].map((path) => run.entries.get(`steps/main/${path}`)?.target);
  expect(targets).toMatchObject([
    { kind: 'Lib.Greeting', name: 'second' },
    { kind: 'Run.Sequence', name: 'body', module: 'Lib' },
    { kind: 'Lib.Part', name: 'part', module: 'Lib' },
  ]);
});
