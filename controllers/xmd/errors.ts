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
