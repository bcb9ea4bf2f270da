import { durableHandleOf, InvokeError, resolveInvocableDispatcher } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { KindDefinition } from '../kind.ts';

/** `Run.Detach`. @see kernel-specs/run-kinds.md RK-15 */
class Detach implements ResourceInstance {
  readonly #resource: ResourceManifest;
  readonly #ctx: ResourceContext;
  #dispatch: ReturnType<typeof resolveInvocableDispatcher> | undefined;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#resource = resource;
    this.#ctx = ctx;
  }

  init(ctx: ResourceContext): void {
    const { name } = this.#resource.metadata;
    this.#dispatch = resolveInvocableDispatcher(this.#resource['invoke'], ctx, `the invoke of "${name}"`);
  }

  /**
   * Starts the target with these inputs and answers at once. Effect: work that nobody waits for; its failure is logged.
   *
   * @throws InvokeError DURABLE_DETACH_FORBIDDEN in a durable run: the work would begin anew at every replay
   */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    const { name } = this.#resource.metadata;
    const replayed = this.#ctx.zoneAttributes?.(ctx).some(({ attributes }) => attributes.replayed !== undefined);
    if (replayed === true || durableHandleOf(ctx) !== undefined) throw detachForbidden(name);
    this.#ctx.runDetached(async () => this.#dispatch?.(inputs));
    return { detached: true };
  }
}

function detachForbidden(resource: string): InvokeError {
  return new InvokeError(
    'DURABLE_DETACH_FORBIDDEN',
    `Cannot detach in "${resource}": a durable run goes through it at every replay, and would begin the work each time`,
    { resource, hint: 'Invoke the target as a step, or detach it outside of the workflow.' },
  );
}

export const detach: KindDefinition = {
  module: 'Run',
  name: 'Detach',
  description: 'Begins work that nobody waits for. Not inside a durable run.',
  capability: 'Telo.Invocable',
  schema: {
    type: 'object',
    required: ['invoke'],
    additionalProperties: false,
    properties: {
      invoke: {
        title: 'Invoke',
        description: 'What is begun, with the inputs of the call.',
        'x-telo-ref': { kind: 'Telo.Executable', use: 'detached' },
      },
    },
  },
  outputType: {
    type: 'object',
    required: ['detached'],
    additionalProperties: false,
    properties: { detached: { const: true } },
  },
  throws: { codes: { DURABLE_DETACH_FORBIDDEN: { description: 'It is invoked inside a durable run.' } } },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Detach(resource, ctx) }),
};
