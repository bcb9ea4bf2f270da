import { InvokeError } from '@telorun/sdk';
import type { Refusal } from './fragment/fragment.ts';

/** Every code that a kind of this module may raise of its own; documented in kernel-specs/evaluate.md. */
export const XMD_CODES = [
  'ERR_XMD_INPUT',
  'ERR_XMD_PROFILE',
  'ERR_XMD_OCCURRENCE_BUSY',
  'ERR_XMD_REFUSED',
  'ERR_XMD_RECORD_UNREADABLE',
  'ERR_XMD_TEXT_CHANGED',
  'ERR_XMD_POLICY_CHANGED',
  'ERR_XMD_APPROVAL_MISMATCH',
  'ERR_XMD_APPROVAL_STALE',
  'ERR_XMD_EFFECT',
  'ERR_XMD_CONFLICT',
  'ERR_XMD_SECRET',
  'ERR_XMD_IN_DOUBT',
] as const;

/** What a step or a resource stated is not an evaluation. `reason` is a fixed word, never what was stated. */
export function inputRefused(reason: string, found: string, hint: string): InvokeError {
  return new InvokeError('ERR_XMD_INPUT', `Cannot evaluate: ${found}`, { reason, hint });
}

/** There is no one profile to evaluate under, or it is not a profile. */
export function profileRefused(reason: string, found: string, hint: string): InvokeError {
  return new InvokeError('ERR_XMD_PROFILE', `Cannot use a profile: ${found}`, { reason, hint });
}

/** The profile was torn down while an evaluation under it was on its way. Resumable: the call was not made. */
export function profileRevoked(): InvokeError {
  return new InvokeError('ERR_XMD_PROFILE', 'Cannot use a profile: it was torn down', {
    reason: 'revoked',
    resumable: true,
    hint: 'Resume the run in a process that declares the profile.',
  });
}

/** Another evaluation is under way, or suspended, at the same step path of the same execution. */
export function occurrenceBusy(path: string, state: 'running' | 'suspended'): InvokeError {
  return new InvokeError('ERR_XMD_OCCURRENCE_BUSY', `Cannot evaluate at "${path}": an evaluation there is ${state}`, {
    path,
    state,
    hint: 'Give each evaluation a step of its own.',
  });
}

/** A fragment was refused. `sentence` is the fixed one of its class: nothing of the fragment is in it. */
export function fragmentRefused(refusal: Refusal, sentence: string): InvokeError {
  const { class: kind, line, column } = refusal;
  return new InvokeError('ERR_XMD_REFUSED', `${sentence} (line ${line}, column ${column})`, {
    class: kind,
    line,
    column,
  });
}

/** A retained record is not one that this version wrote. Resumable: nothing was performed. */
export function recordUnreadable(path: string, member: string): InvokeError {
  return new InvokeError(
    'ERR_XMD_RECORD_UNREADABLE',
    `Cannot read the record at "${path}": ${member} is not as written`,
    {
      path,
      member,
      resumable: true,
      hint: 'Restore the journal, or start a new run.',
    },
  );
}

/** The run was admitted with another text. Resumable: nothing was performed. */
export function textChanged(path: string): InvokeError {
  return new InvokeError('ERR_XMD_TEXT_CHANGED', `Cannot continue "${path}": the text is not the admitted one`, {
    path,
    resumable: true,
    hint: 'State the text that was admitted, or start a new run.',
  });
}

/** The run was admitted under another policy. `changed` names the first member that differs, never its value. */
export function policyChanged(path: string, changed: string): InvokeError {
  return new InvokeError(
    'ERR_XMD_POLICY_CHANGED',
    `Cannot continue "${path}": the policy is not the one it was admitted under (${changed})`,
    { path, changed, resumable: true, hint: 'Restore the profile and allow of the admission, or start a new run.' },
  );
}

/** The approval is of another text or policy. Recorded as a value: it is refused ever after. */
export function approvalMismatch(path: string): InvokeError {
  return new InvokeError(
    'ERR_XMD_APPROVAL_MISMATCH',
    'Cannot evaluate as approved: the approval is of another text or policy',
    { path, reason: 'other-statement', hint: 'State the digest that Preflight answers for this text and policy.' },
  );
}

/** The run was admitted under another approval, or under none. Resumable: nothing was performed. */
export function approvalChanged(path: string): InvokeError {
  return new InvokeError(
    'ERR_XMD_APPROVAL_MISMATCH',
    `Cannot continue "${path}": the approval is not the one it was admitted under`,
    {
      path,
      reason: 'approval-changed',
      resumable: true,
      hint: 'State the approval of the admission, or start a new run.',
    },
  );
}

/** A file is not as it was approved, or the approval was used up. Recorded as a value: it is refused ever after. */
export function approvalStale(path: string, reason: 'target-moved' | 'used'): InvokeError {
  const found = reason === 'used' ? 'the approval has been used up' : 'a file is not as it was when it was approved';
  return new InvokeError('ERR_XMD_APPROVAL_STALE', `Cannot evaluate as approved: ${found}`, {
    path,
    reason,
    hint: 'Ask for another approval of what would be done now.',
  });
}
