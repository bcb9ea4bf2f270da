import { InvokeError, isInvokeError } from '@telorun/sdk';
import type { PlannedEffect } from '../preflight/plan.ts';

/** The path a standard operation was planned with. A plan without one is a programmer's mistake. */
export function plannedPath({ input, operation }: PlannedEffect): string {
  const { path } = input;
  if (typeof path !== 'string') {
    throw new TypeError(`A planned ${operation.name} has a path`);
  }
  return path;
}

/**
 * Runs the work of one provider; its refusal learns which effect it stopped.
 *
 * @throws InvokeError ERR_XMD_EFFECT {effect, reason, path, hint?}
 */
export function atEffect<T>(effect: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw withEffect(effect, error);
  }
}

/** The refusal of a provider with the effect that it stopped; any other error as it is. Pure. */
export function withEffect(effect: string, error: unknown): unknown {
  return isInvokeError(error) && error.code === 'ERR_XMD_EFFECT'
    ? new InvokeError(error.code, error.message, { effect, ...membersOf(error.data) })
    : error;
}

/** What is at the path is neither what this effect found there nor what it was to put there. Nothing was performed. */
export function conflict(effect: string, path: string): InvokeError {
  return new InvokeError(
    'ERR_XMD_CONFLICT',
    `Cannot change "${path}": it is neither as this effect found it nor as it was to leave it`,
    { effect, path, hint: 'Restore the file, or start a new run.' },
  );
}

/** What would be written is not what was approved: a file that it is made of has changed. Nothing was performed. */
export function contentConflict(effect: string, path: string): InvokeError {
  return new InvokeError(
    'ERR_XMD_CONFLICT',
    `Cannot change "${path}": what would be written is not what was approved`,
    {
      effect,
      path,
      hint: 'Ask for another approval of what would be written now.',
    },
  );
}

function membersOf(data: unknown): object {
  return typeof data === 'object' && data !== null ? data : {};
}
