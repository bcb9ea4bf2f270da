import type { WorkflowInstance } from '../durable/workflow.ts';
import type { Kernel } from '../runtime/kernel.ts';
import { notFoundError, usageError } from './usage.ts';
import { printable } from './printable.ts';

export interface NamedWorkflow {
  readonly name: string;
  readonly instance: WorkflowInstance;
}

/** The workflow that a command means: the named one, or the manifest's only one. @throws InvokeError ERR_CLI_NOT_FOUND, ERR_CLI_USAGE */
export function pickWorkflow(kernel: Kernel, wanted: string | undefined): NamedWorkflow {
  const found = workflowsOf(kernel);
  const names = found.map(({ name }) => printable(name)).join(', ');
  if (wanted !== undefined) {
    const one = found.find(({ name }) => name === wanted);
    if (one !== undefined) return one;
    const hint =
      found.length === 0 ? 'This manifest declares no DurableLocal.Workflow.' : `Its workflows are: ${names}.`;
    throw notFoundError(`Cannot find workflow "${printable(wanted)}" in the manifest`, hint);
  }
  const [only, ...others] = found;
  if (only === undefined) {
    throw notFoundError(
      'Cannot start a run: the manifest declares no DurableLocal.Workflow',
      'Leave --run-id and --inputs out to boot its targets.',
    );
  }
  if (others.length > 0) {
    throw usageError(
      `Cannot tell which workflow is meant: the manifest has ${found.length}`,
      `Add --workflow with one of: ${names}.`,
    );
  }
  return only;
}

/** Names of the workflows of a manifest, in declared order. Pure. */
export function workflowNames(kernel: Kernel): readonly string[] {
  return workflowsOf(kernel).map(({ name }) => name);
}

function workflowsOf(kernel: Kernel): readonly NamedWorkflow[] {
  return kernel.instancesOfKind('DurableLocal.Workflow').flatMap(({ name, instance }) => {
    return isWorkflow(instance) ? [{ name, instance }] : [];
  });
}

function isWorkflow(instance: unknown): instance is WorkflowInstance {
  return typeof instance === 'object' && instance !== null && 'execute' in instance && 'start' in instance;
}
