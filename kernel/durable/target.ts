import { InvokeError } from '@telorun/sdk';
import type { DecisionKind, DurableTarget } from '@telorun/sdk';
import type { JournalEntry } from '@telorun/sdk/journal';

type StoredTarget = NonNullable<JournalEntry['target']>;

/** What an entry keeps of a target. Pure. */
export function storedTarget(target: DurableTarget): StoredTarget {
  return target.module === undefined
    ? { kind: target.kind, name: target.name }
    : { kind: target.kind, name: target.name, module: target.module };
}

/**
 * Whether both name one resource: kind and name, and the module where both state it in the same way. A Telo kernel
 * records the URL of the manifest, this one the module's name. Pure.
 */
export function sameTarget(recorded: StoredTarget, reached: StoredTarget): boolean {
  if (recorded.kind !== reached.kind || recorded.name !== reached.name) return false;
  if (recorded.module === undefined || reached.module === undefined) return true;
  return recorded.module === reached.module || isUrl(recorded.module) !== isUrl(reached.module);
}

function isUrl(module: string): boolean {
  return module.includes(':');
}

export interface Reached {
  readonly target?: DurableTarget;
  readonly decision?: DecisionKind;
}

/** The refusal of a record that belongs to something else than what the program reaches at its path. */
export function entryMismatch(run: string, entry: JournalEntry, reached: Reached): InvokeError {
  const was = entry.target ?? { kind: entry.kind, name: entry.decision ?? '' };
  const now =
    reached.target === undefined
      ? { kind: reached.decision === undefined ? 'step' : 'decision', name: reached.decision ?? '' }
      : storedTarget(reached.target);
  return new InvokeError(
    'ERR_JOURNAL_ENTRY_MISMATCH',
    `Cannot replay "${entry.path}" of run "${run}": recorded for ${spell(was)}, reached by ${spell(now)}`,
    {
      run,
      path: entry.path,
      recorded: was,
      reached: now,
      hint: 'Restore the program that started this run, or start a new run.',
    },
  );
}

function spell(target: StoredTarget): string {
  return target.name === '' ? target.kind : `${target.kind}/${target.name}`;
}
