import type { WaitRecord } from '@telorun/sdk/journal';
import { labelOf } from './entry-path.ts';
import { answerCommand } from './next-command.ts';
import type { Paint } from './paint.ts';
import { requestLines } from './request-lines.ts';

/** Whether a person can answer a wait. Pure. */
export function isOpen({ state, token }: WaitRecord): boolean {
  return state === 'open' && token !== undefined;
}

/** What each open wait of a run asks, and the command that answers it. Pure. */
export function openWaitLines(
  open: readonly WaitRecord[],
  { paint, ...again }: { readonly paint: Paint; readonly journal: string | undefined; readonly several: boolean },
): readonly string[] {
  return open.flatMap((wait) => [
    ...(wait.request === undefined ? [] : ['', `${labelOf(wait.path, '')} asks:`, ...requestLines(wait, paint)]),
    `  ${paint.bold(answerCommand(wait, again))}`,
  ]);
}
