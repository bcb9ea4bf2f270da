import { InvokeError } from '@telorun/sdk';
import { printable } from './printable.ts';

/** A run that the journal at `file` does not have; exit code 66. */
export function unknownRun(run: string, { file }: { readonly file: string }): InvokeError {
  return new InvokeError('ERR_DURABLE_RUN_NOT_FOUND', `Cannot find run "${printable(run)}" in this journal`, {
    run,
    file,
    hint: 'List the runs with npx telo-xmd runs, or name another journal with --journal.',
  });
}
