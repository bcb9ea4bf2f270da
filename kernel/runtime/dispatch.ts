import {
  deriveContext,
  InvokeError,
  isCancellationError,
  isInvokeError,
  isSuspension,
  passesUncaught,
  RuntimeError,
} from '@telorun/sdk';
import type { InvokeContext, ResourceInstance } from '@telorun/sdk';
import type { KernelEvent, KernelListener } from '../events.ts';
import type { Ambient } from './ambient.ts';

/** What is dispatched: canonical kind and name, for events and messages. */
export interface DispatchTarget {
  readonly kind: string;
  readonly name: string;
}

type Outcome = Extract<KernelEvent, { type: 'dispatch' }>['outcome'];

/** The one place that every invocation and run of a resource goes through. */
export class Dispatcher {
  readonly #ambient: Ambient;
  readonly #emit: KernelListener;

  constructor(ambient: Ambient, emit: KernelListener) {
    this.#ambient = ambient;
    this.#emit = emit;
  }

  /**
   * Invokes a resource; one that can only run is run, and answers undefined. Without `ctx` the ambient context is inherited.
   *
   * @throws InvokeError ERR_INVOKE_CANCELLED, ERR_RESOURCE_NOT_INVOKABLE
   */
  invoke(target: DispatchTarget, instance: ResourceInstance, inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    return this.#through(target, ctx ?? this.#ambient.current(), inputs, async (context) => {
      if (typeof instance.invoke === 'function') return instance.invoke(inputs, context);
      if (typeof instance.run !== 'function') throw notInvokable(target, 'an invoke or run method');
      await instance.run(context);
      return undefined;
    });
  }

  /**
   * Runs a Runnable or Service; a Service leaves the open zones behind.
   *
   * @throws InvokeError ERR_INVOKE_CANCELLED, ERR_RESOURCE_NOT_INVOKABLE
   */
  async run(
    target: DispatchTarget,
    instance: ResourceInstance,
    options: { service: boolean; ctx?: InvokeContext },
  ): Promise<void> {
    const ambient = options.ctx ?? this.#ambient.current();
    const context = options.service ? deriveContext(ambient, { zones: undefined }) : ambient;
    await this.#through(target, context, undefined, async (inner) => {
      if (typeof instance.run !== 'function') throw notInvokable(target, 'a run method');
      return instance.run(inner);
    });
  }

  async #through(
    target: DispatchTarget,
    context: InvokeContext,
    inputs: unknown,
    work: (context: InvokeContext) => Promise<unknown>,
  ): Promise<unknown> {
    try {
      context.cancellation.throwIfCancelled();
      const outputs = await this.#ambient.run(context, () => work(context));
      this.#tell('Invoked', target, { inputs, outputs });
      return outputs;
    } catch (error) {
      this.#tell(outcomeOf(error), target, payloadOf(error));
      throw isInvokeError(error) || passesUncaught(error) || error instanceof RuntimeError ? error : wrapped(error);
    }
  }

  #tell(outcome: Outcome, { kind, name }: DispatchTarget, payload: unknown): void {
    this.#emit({ type: 'dispatch', outcome, kind, name, payload });
  }
}

function outcomeOf(error: unknown): Outcome {
  if (isSuspension(error)) return 'InvokeParked';
  if (isCancellationError(error)) return 'InvokeCancelled';
  return isInvokeError(error) ? 'InvokeRejected' : 'InvokeFailed';
}

function payloadOf(error: unknown): unknown {
  if (isSuspension(error)) return { path: error.path, resource: error.resource };
  if (isInvokeError(error)) return { code: error.code, message: error.message, data: error.data };
  return { message: messageOf(error) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error without a code of ours: only InvokeErrors are rejections that a manifest can match. */
function wrapped(cause: unknown): RuntimeError {
  const error = new RuntimeError('ERR_EXECUTION_FAILED', messageOf(cause));
  error.cause = cause;
  return error;
}

function notInvokable({ kind, name }: DispatchTarget, wanted: string): InvokeError {
  return new InvokeError(
    'ERR_RESOURCE_NOT_INVOKABLE',
    `Cannot dispatch ${kind} "${name}": it does not have ${wanted}`,
    {
      kind,
      name,
      hint: 'Refer to a resource whose kind is invocable or runnable.',
    },
  );
}
