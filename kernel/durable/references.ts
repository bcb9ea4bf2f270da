import { InvokeError } from '@telorun/sdk';
import type { ResourceContext, ResourceInstance } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { isKernelContext } from '../kinds/kernel-context.ts';
import { withoutSecrets } from './redaction-journal.ts';
import type { WorkflowInstance } from './workflow-instance.ts';

const JOURNAL_METHODS = ['admitRun', 'readRun', 'readEntries', 'append', 'completeRun', 'claimRun', 'dueRuns'] as const;
const FENCED_METHODS = [
  'checkClaim',
  'renewClaim',
  'releaseRun',
  'recordWait',
  'closeWait',
  'suspendRun',
  'answer',
] as const;

/**
 * The journal in a `journal` slot: the instance itself, or what it provides, kept clear of the application's secrets.
 * Pure.
 *
 * @throws InvokeError ERR_REF_REQUIRED, ERR_REF_UNRESOLVED
 * @throws InvokeError ERR_DURABLE_BACKEND_UNSUPPORTED for a journal without fenced claims.
 */
export function journalOf(slot: unknown, ctx: ResourceContext, resource: string): FencedJournal {
  const instance = ctx.resolveRef(slot, isAnyInstance, `the journal of "${resource}"`, 'a durable journal');
  const provided: unknown = hasMethods(instance, JOURNAL_METHODS) ? instance : instance.provide?.();
  if (isFenced(provided)) {
    const redaction = isKernelContext(ctx) ? ctx.kernel.redaction : undefined;
    return redaction === undefined ? provided : withoutSecrets(provided, redaction);
  }
  throw new InvokeError(
    'ERR_DURABLE_BACKEND_UNSUPPORTED',
    `Cannot use the journal of "${resource}": it has no fenced claims`,
    {
      resource,
      hint: 'Refer to a DurableJournalSqlite.Journal or a DurableJournalFile.Journal.',
    },
  );
}

/** The workflow in a `workflow` slot. Pure. @throws InvokeError ERR_REF_REQUIRED, ERR_REF_UNRESOLVED */
export function workflowOf(slot: unknown, ctx: ResourceContext, resource: string): WorkflowInstance {
  return ctx.resolveRef(slot, isWorkflow, `the workflow of "${resource}"`, 'a DurableLocal.Workflow');
}

/** Whether an instance is a workflow of this kernel. Pure. */
export function isWorkflow(instance: ResourceInstance): instance is WorkflowInstance {
  return hasMethods(instance, ['start', 'execute', 'invoke']) && 'journal' in instance && 'workflow' in instance;
}

function isAnyInstance(_instance: ResourceInstance): _instance is ResourceInstance {
  return true;
}

function isFenced(value: unknown): value is FencedJournal {
  return hasMethods(value, JOURNAL_METHODS) && hasMethods(value, FENCED_METHODS);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return (
    typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'function')
  );
}
