import { InvokeError } from '@telorun/sdk';
import type { RunRecord } from '@telorun/sdk/journal';
import type { KernelServices } from '../kinds/kind.ts';

/** Kinds whose bodies a Telo kernel records under other paths than this one: it gives the elements no index. */
const OTHER_PATHS: ReadonlySet<string> = new Set(['Run.Iteration', 'Run.Projection', 'Run.Loop']);

/**
 * Refuses a run that another kernel started where its program would look for other records than those it left. A run of
 * this kernel names its program; one that names none is another's. Pure.
 *
 * @throws InvokeError ERR_DURABLE_RUN_FOREIGN `{run, workflow, kind, name}`
 * @see kernel-specs/journal-file.md JF-30
 */
export function assertContinuable(
  record: RunRecord,
  workflow: string,
  { reached }: Pick<KernelServices, 'reached'>,
): void {
  if (record.program !== undefined) return;
  const other = reached?.(workflow).find(({ kind }) => OTHER_PATHS.has(kind));
  if (other === undefined) return;
  const { kind, name } = other;
  throw new InvokeError(
    'ERR_DURABLE_RUN_FOREIGN',
    `Cannot continue run "${record.run}": another kernel started it, and records the elements of "${name}" (${kind}) under other paths`,
    {
      run: record.run,
      workflow,
      kind,
      name,
      hint: 'Let the kernel that started the run finish it, or start a new run here.',
    },
  );
}
