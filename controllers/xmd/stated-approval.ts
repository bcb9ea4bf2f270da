import type { ResourceManifest } from '@telorun/sdk';
import { isMembers } from './admission/shape.ts';
import { isApprovalDigest } from './approval/approval-digest.ts';
import { inputRefused } from './errors.ts';

/** The inputs of a step without the approval that they state. */
interface StatedApproval {
  readonly approved?: string;
  readonly inputs: unknown;
}

/**
 * Takes the approval out of what a step and its resource state: at most one, and never one that is stated without a value.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_INPUT
 * @see kernel-specs/approval.md AP-01
 */
export function takeApproval(inputs: unknown, resource: ResourceManifest): StatedApproval {
  const stated = [inputs, resource].filter((one) => isMembers(one) && Object.hasOwn(one, 'approved'));
  const [holder] = stated;
  if (!isMembers(holder)) {
    return { inputs };
  }
  const { approved } = holder;
  if (stated.length > 1) {
    throw approvedRefused('an approval is stated more than once');
  }
  if (!isApprovalDigest(approved)) {
    throw approvedRefused('what is stated as approved is no digest of Preflight');
  }
  return { approved, inputs: isMembers(inputs) ? withoutApproved(inputs) : inputs };
}

function withoutApproved(inputs: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { approved: _approved, ...others } = inputs;
  return others;
}

function approvedRefused(found: string): Error {
  return inputRefused(
    'approved',
    found,
    'State the digest of a Preflight as approved, in the resource or in the step.',
  );
}
