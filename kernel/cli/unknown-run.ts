import { InvokeError } from '@telorun/sdk';
import { printable } from './printable.ts';

/** A run that the journal does not have; exit code 66. */
export function unknownRun(run: string): InvokeError {
  return new InvokeError('ERR_DURABLE_RUN_NOT_FOUND', `Cannot find run "${printable(run)}" in this journal`, {
    run,
    hint: 'List the runs with telo-xmd runs, or name another journal with --journal.',
  });
}
