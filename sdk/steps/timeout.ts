import { createCancellationSource, isCancellationError, UNCANCELLABLE_CONTEXT } from '../cancellation.ts';
import { deriveContext, type InvokeContext } from '../invoke-context.ts';
import { InvokeError } from '../invoke-error.ts';

function isAbort(error: unknown): boolean {
  const name: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'name') : undefined;
  return name === 'AbortError' || name === 'TimeoutError';
}

/**
 * Performs work that is cancelled after `timeoutMs`. Work that takes no notice is awaited, and what it answers counts.
 *
 * @throws InvokeError ERR_STEP_TIMEOUT when the work stopped because its time was over
 */
export async function withTimeout(
  step: string,
  timeoutMs: number,
  invokeCtx: InvokeContext | undefined,
  perform: (invokeCtx: InvokeContext) => Promise<unknown>,
): Promise<unknown> {
  const base = invokeCtx ?? UNCANCELLABLE_CONTEXT;
  const source = createCancellationSource();
  const stopListening = base.cancellation.onCancelled((reason) => source.cancel(reason));
  source.cancelAfter(timeoutMs);
  try {
    return await perform(deriveContext(base, { cancellation: source.token }));
  } catch (error) {
    const ours = source.token.isCancelled && !base.cancellation.isCancelled;
    if (!ours || !(isCancellationError(error) || isAbort(error))) throw error;
    throw new InvokeError(
      'ERR_STEP_TIMEOUT',
      `Cannot finish step "${step}": it took longer than ${timeoutMs} ms`,
      { step, timeout: timeoutMs, hint: 'Raise the timeout of the step, or make it do less.' },
      { cause: error },
    );
  } finally {
    stopListening();
    source.dispose();
  }
}
