/** A library of small kinds that show what a controller sees. Its bundle imports nothing. */
const PROBE_LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
variables: { tag: { type: string, default: none } }
exports: { kinds: [Probe, Late, Holder, Provider, Failing], resources: [shared] }
---
kind: Telo.Definition
metadata: { name: Probe, description: Shows what it is given. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./probe.mjs&local_path=./missing.ts#Probe" ]
schema:
  type: object
  additionalProperties: false
  properties:
    profile: { x-telo-ref: { kind: Telo.Resource, use: call } }
    operations:
      type: array
      items: { type: object, properties: { name: { type: string }, invoke: { x-telo-ref: { kind: Telo.Executable, use: call } } } }
    targets: { type: object, additionalProperties: { x-telo-ref: { kind: Telo.Executable, use: call } } }
    early: { type: string, x-telo-eval: compile }
    late: { x-telo-eval: runtime, x-telo-context: { inputs: {} } }
    steps: { type: array, x-telo-provides-zone: { noSuspend: the probe holds a lock, idempotent: it is repeated whole } }
---
kind: Telo.Definition
metadata: { name: Late, description: Is not ready at first. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./probe.mjs#Late" ]
schema: { type: object, additionalProperties: false, properties: { after: { type: integer } } }
---
kind: Telo.Definition
metadata: { name: Holder, description: Holds the process. }
capability: Telo.Service
controllers: [ "pkg:telo/local/js?path=./probe.mjs#Holder" ]
schema: { type: object, additionalProperties: false, properties: {} }
---
kind: Telo.Definition
metadata: { name: Provider, description: Publishes a snapshot. }
capability: Telo.Provider
controllers: [ "pkg:telo/local/js?path=./probe.mjs#Provider" ]
schema: { type: object, additionalProperties: false, properties: { label: { type: string }, count: { type: integer } } }
---
kind: Telo.Definition
metadata: { name: Failing, description: Fails in every way. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./probe.mjs#Failing" ]
inputType: { type: object, properties: { how: { type: string, default: plain } } }
schema: { type: object, additionalProperties: false, properties: { when: { type: string } } }
---
kind: Self.Probe
metadata: { name: shared }
late: !cel "variables.tag + ' seen by ' + module.name"
`;

const PROBE_BUNDLE = `
const trace = (globalThis.probeTrace ??= []);
export const Probe = {
  register: () => trace.push('register Probe'),
  create: (resource, ctx) => {
    const seen = { created: JSON.parse(JSON.stringify(resource)) };
    try { ctx.self; } catch (error) { seen.selfInCreate = error.code; }
    trace.push('create ' + resource.metadata.name);
    return {
      ctx, resource, seen,
      init: (context) => { seen.self = context.self.ref; trace.push('init ' + resource.metadata.name); },
      invoke: async (inputs) => ({ late: ctx.expandValue(resource.late, { inputs }), inputs }),
      teardown: () => { trace.push('teardown ' + resource.metadata.name); },
    };
  },
};
export const Late = {
  create: (resource) => {
    const tries = (globalThis.lateTries ??= new Map());
    const count = (tries.get(resource.metadata.name) ?? 0) + 1;
    tries.set(resource.metadata.name, count);
    return count < (resource.after ?? 2) ? null : { invoke: async () => count, snapshot: () => ({ count }) };
  },
};
export const Holder = {
  create: (_resource, ctx) => {
    let release;
    return { run: async () => { release = ctx.acquireHold('holding'); }, release: () => release?.(), ctx };
  },
};
export const Provider = {
  create: (resource) => ({ resource, snapshot: () => ({ label: resource.label, count: resource.count }), teardownPriority: 1000,
    teardown: () => { trace.push('teardown ' + resource.metadata.name); } }),
};
export const Failing = {
  create: (resource, ctx) => {
    if (resource.when === 'create') throw new Error('cannot be created');
    return {
      invoke: async (inputs, context) => {
        if (inputs.how === 'coded') throw Object.assign(new Error('coded'), { code: 'ERR_CODED', [Symbol.for('telo.InvokeError')]: true });
        if (inputs.how === 'cancelled') { context.cancellation.throwIfCancelled(); return 'not cancelled'; }
        if (inputs.how === 'lost') throw Object.assign(new Error('lost'), { code: 'ERR_DURABLE_CLAIM_LOST' });
        throw new Error('plain ' + inputs.how);
      },
    };
  },
};
`;

/** Files of the library, below `lib/`. */
export const PROBE_FILES = { 'lib/telo.yaml': PROBE_LIBRARY, 'lib/probe.mjs': PROBE_BUNDLE };
