import type { DurableRunHandle } from '@telorun/sdk';
import { hasExactly, isMembers } from '../admission/shape.ts';
import { approvalMismatch, approvalStale, recordUnreadable } from '../errors.ts';
import type { JsonObject } from '../values/json.ts';
import { approvalDigest, isOfStatement } from './approval-digest.ts';
import type { Statement } from './approval-digest.ts';
import { Approval } from './approval.ts';
import type { Target } from './target.ts';
import { readTargets, targetJson } from './target.ts';

/** Version of an approval record. */
const RECORD_VERSION = 1;

/** Why an approval does not hold: it is of something else, a file moved, or it was used up. */
type Reason = 'other-statement' | 'target-moved' | 'used';

/** An approval that is stated, and what it is compared with. */
export interface StatedApproval {
  readonly approved: string;
  readonly statement: Statement;
  /** Whether an earlier occurrence at this path completed under it. */
  readonly used: boolean;
  /** Effect: looks at the files now. Synchronous. */
  readonly survey: () => readonly Target[];
}

/**
 * Compares an approval with what would be done now, once, before any effect.
 *
 * Durable: one decision at `path`, a refusal included, so that neither what the effects change nor what moves later counts
 * again. Without a place nothing is recorded.
 *
 * @throws InvokeError ERR_XMD_APPROVAL_MISMATCH, ERR_XMD_APPROVAL_STALE, ERR_XMD_RECORD_UNREADABLE
 * @see kernel-specs/approval.md AP-20
 */
export async function approve(
  stated: StatedApproval,
  site: { readonly path: string; readonly handle?: DurableRunHandle },
): Promise<Approval> {
  const { path, handle } = site;
  const recorded: unknown =
    handle === undefined ? recordOf(stated) : await handle.decide<unknown>(path, 'value', () => recordOf(stated));
  const verdict = readRecord(recorded, stated, path);
  if (typeof verdict === 'string') {
    throw verdict === 'other-statement' ? approvalMismatch(path) : approvalStale(path, verdict);
  }
  return new Approval(verdict);
}

function recordOf({ approved, statement, used, survey }: StatedApproval): JsonObject {
  const refused = (reason: Reason): JsonObject => ({ version: RECORD_VERSION, decision: 'refused', reason });
  if (!isOfStatement(approved, statement)) {
    return refused('other-statement');
  }
  if (used) {
    return refused('used');
  }
  const targets = survey();
  return approvalDigest(statement, targets) === approved
    ? { version: RECORD_VERSION, decision: 'approved', targets: targets.map(targetJson) }
    : refused('target-moved');
}

/** Reads a record closed. Its targets count only as those that the approved digest is of. */
function readRecord(value: unknown, { approved, statement }: StatedApproval, path: string): readonly Target[] | Reason {
  if (!isMembers(value) || value['version'] !== RECORD_VERSION) {
    throw recordUnreadable(path, 'version');
  }
  if (value['decision'] === 'refused' && hasExactly(value, ['version', 'decision', 'reason'])) {
    const { reason } = value;
    if (reason === 'other-statement' || reason === 'target-moved' || reason === 'used') {
      return reason;
    }
    throw recordUnreadable(path, 'reason');
  }
  if (value['decision'] !== 'approved' || !hasExactly(value, ['version', 'decision', 'targets'])) {
    throw recordUnreadable(path, 'its list of members');
  }
  const targets = readTargets(value['targets']);
  if (targets === undefined || approvalDigest(statement, targets) !== approved) {
    throw recordUnreadable(path, 'targets');
  }
  return targets;
}
