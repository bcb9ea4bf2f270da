import type { FencedJournal } from '@telorun/sdk/journal';
import { InvokeError, isRunLost } from '@telorun/sdk';
import { claimLost } from './errors.ts';
import { CLAIM, RENEWAL_ERRORS_MAX } from './limits.ts';

/**
 * Keeps a claim alive while a body executes. Effect: renews every `CLAIM.renewMs`, on a timer that does not hold the
 * process. `lost` is called once: when the claim is gone, or when the journal could not be asked several times in a row.
 *
 * @returns How to stop.
 */
export function keepClaim(journal: FencedJournal, run: string, lost: (error: unknown) => void): () => void {
  let failures = 0;
  let asking = false;
  const stop = (): void => clearInterval(timer);
  const giveUp = (error: unknown): void => {
    stop();
    lost(error);
  };
  const renew = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    try {
      if (await journal.renewClaim(run)) failures = 0;
      else giveUp(claimLost(run));
    } catch (error) {
      failures += 1;
      if (failures >= RENEWAL_ERRORS_MAX) giveUp(isRunLost(error) ? error : unavailable(run, error));
    } finally {
      asking = false;
    }
  };
  const timer = setInterval(() => void renew(), CLAIM.renewMs);
  timer.unref();
  return stop;
}

function unavailable(run: string, cause: unknown): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_JOURNAL_UNAVAILABLE',
    `Cannot renew the claim of run "${run}": ${cause instanceof Error ? cause.message : String(cause)}`,
    { run, hint: 'Repair the journal, then resume the run.' },
    { cause },
  );
}
