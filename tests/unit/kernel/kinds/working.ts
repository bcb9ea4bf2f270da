import { deriveContext } from '@telorun/sdk';
import type { ResourceContext } from '@telorun/sdk';
import type { Kernel } from '../../../../kernel/index.ts';
import type { MemoryRun } from '../../../support/memory-handle.ts';
import { folderWith, header, open } from '../runtime/support/application.ts';

/** A library whose one kind counts its calls, waits for its gate, and fails or parks as it is told. */
const LIBRARY = `kind: Telo.Library
metadata: { name: Lib, version: 0.1.0 }
exports: { kinds: [Work] }
---
kind: Telo.Definition
metadata: { name: Work, description: Does what its inputs say. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./work.mjs#Work" ]
schema: { type: object, additionalProperties: false, properties: {} }
`;

const BUNDLE = `export const Work = { create: (_resource, ctx) => {
  const calls = [];
  let gate = Promise.resolve();
  return { ctx, calls, close: () => { let open; gate = new Promise((resolve) => (open = resolve)); return open; },
    invoke: async ({ item, how }, context) => {
      calls.push(item);
      if (how === 'wait') await gate;
      if (how === 'fail') throw Object.assign(new Error('no ' + item), { code: 'ERR_NO', [Symbol.for('telo.InvokeError')]: true });
      if (how === 'park') await context.durable.park({ path: context.durablePath, resource: 'work' }, { token: 't' + item });
      return item;
    } };
} };
`;

interface Work {
  readonly ctx: ResourceContext;
  readonly calls: readonly unknown[];
  readonly close: () => () => void;
}

export interface Working {
  readonly kernel: Kernel;
  readonly work: Work;
  readonly stderr: () => string;
  /** Invokes a resource at \`steps/each\` of a run. */
  readonly within: (run: MemoryRun, target: { kind: string; name: string }, inputs: unknown) => Promise<unknown>;
}

function isWork(value: object): value is Work {
  return 'calls' in value && 'ctx' in value;
}

/** An application with these documents, and a resource \`work\` that counts. Effect. */
export async function working(documents: string): Promise<Working> {
  const manifest = `${header('[]').replace('imports:', 'imports:\n  Lib: ./lib\n  Timer: oci://ghcr.io/telorun/timer@0.1.0')}---
kind: Lib.Work
metadata: { name: work }
---
${documents}`;
  const files = { 'telo.yaml': manifest, 'lib/telo.yaml': LIBRARY, 'lib/work.mjs': BUNDLE };
  const { kernel, stderr } = await open(folderWith(files));
  const work = kernel.instance('work');
  if (!isWork(work)) throw new Error('the probe is not there');
  const within = (
    run: MemoryRun,
    { kind, name }: { kind: string; name: string },
    inputs: unknown,
  ): Promise<unknown> => {
    const ctx = deriveContext(work.ctx.rootContext(), { durable: run.open(), durablePath: 'steps/each' });
    return work.ctx.invoke(kind, name, inputs, { ctx });
  };
  return { kernel, work, within, stderr };
}

/** Inputs with one element for each way of working. Pure. */
export function items(...hows: readonly string[]): { items: unknown; concurrency: number } {
  return { items: hows.map((how, n) => ({ n, how })), concurrency: 1 };
}
