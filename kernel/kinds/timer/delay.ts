import { NEVER_CANCELLED } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { plainObject } from '../../graph/plain.ts';
import type { KindDefinition } from '../kind.ts';
import { durationMs } from './duration.ts';
import { pause } from './timer.ts';

/** `Timer.Delay`. @see kernel-specs/run-kinds.md RK-50 */
class Delay implements ResourceInstance {
  readonly #resource: ResourceManifest;
  readonly #ctx: ResourceContext;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#resource = resource;
    this.#ctx = ctx;
  }

  /** Waits in this process, then answers `{value}`. A cancellation ends the wait; a process that dies begins it anew. */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    const { metadata } = this.#resource;
    const delayMs = durationMs(this.#stated('duration', inputs), `"duration" of ${metadata.name}`);
    const value = this.#stated('value', inputs) ?? null;
    await pause(delayMs, ctx?.cancellation ?? NEVER_CANCELLED);
    return { value };
  }

  /** What the call states wins over the field. */
  #stated(name: 'duration' | 'value', inputs: unknown): unknown {
    return plainObject(inputs)[name] ?? this.#ctx.expandValue(this.#resource[name], { inputs });
  }
}

const EVALUATED = { 'x-telo-eval': 'runtime', 'x-telo-context': { inputs: {} } };

export const delay: KindDefinition = {
  module: 'Timer',
  name: 'Delay',
  description: 'Waits in memory, then answers. A wait that is to outlive its process is Durable.Sleep.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      duration: {
        title: 'Duration',
        description: 'How long, as a number and one of ms, s, m, h, d. An input `duration` of the call wins.',
        type: 'string',
        ...EVALUATED,
      },
      value: {
        title: 'Value',
        description: 'What is answered as `value`; null where nothing is stated. An input `value` of the call wins.',
        ...EVALUATED,
      },
    },
  },
  outputType: { type: 'object', required: ['value'], additionalProperties: false, properties: { value: {} } },
  throws: { codes: { ERR_INVALID_VALUE: { description: 'The duration is not stated or cannot be read.' } } },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Delay(resource, ctx) }),
};
