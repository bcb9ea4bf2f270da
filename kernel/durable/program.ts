import { InvokeError } from '@telorun/sdk';
import type { FencedJournal, RunProgram, RunRecord } from '@telorun/sdk/journal';

const FORCED = 'override/force/';

/**
 * Refuses a run whose workflow resource is another than the one it began with. Pure.
 *
 * @throws InvokeError ERR_DURABLE_MANIFEST_CHANGED `{run, workflow, recorded, reached}`
 */
export function programChanged(record: RunRecord, program: RunProgram): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_MANIFEST_CHANGED',
    `Cannot continue run "${record.run}": the workflow "${program.workflow}" is not the one it began with`,
    {
      run: record.run,
      workflow: program.workflow,
      recorded: record.program?.digest,
      reached: program.digest,
      hint: 'Restore the workflow resource, or resume the run with --force.',
    },
  );
}

/** Whether a run may go on under `program`: it began with it, or an operator has forced exactly this one. */
export async function admitsProgram(record: RunRecord, program: RunProgram, journal: FencedJournal): Promise<boolean> {
  if (record.program === undefined || record.program.digest === program.digest) return true;
  const entries = await journal.readEntries(record.run);
  return entries.some(({ path, value }) => path.startsWith(FORCED) && forcedDigest(value) === program.digest);
}

/** Durable: records that an operator goes on under `program`; needs the claim. */
export async function recordForce(
  journal: FencedJournal,
  run: string,
  forced: { readonly digest: string; readonly at: number; readonly reason?: string },
): Promise<void> {
  await journal.append(run, {
    path: `${FORCED}${forced.at}`,
    kind: 'decision',
    decision: 'value',
    value: { ...forced },
  });
}

function forcedDigest(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'digest' in value ? value.digest : undefined;
}
