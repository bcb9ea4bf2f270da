import { InvokeError } from '@telorun/sdk';
import type { Unclear } from './extraction.ts';

/** Every code that a Plan raises of its own besides ERR_XMD_INPUT, ERR_XMD_PROFILE and ERR_XMD_REFUSED. */
export const PLAN_CODES = [
  'ERR_XMD_PLAN_EMPTY',
  'ERR_XMD_PLAN_CUT_OFF',
  'ERR_XMD_PLAN_FILTERED',
  'ERR_XMD_PLAN_UNCLEAR',
  'ERR_XMD_PLAN_MODEL',
] as const;

/** What is wrong with an answer that has not exactly one fragment: never a word of it. */
export const UNCLEAR_SENTENCES: Readonly<Record<Exclude<Unclear, 'empty'>, string>> = {
  thinking: 'it is not clear where the thinking ends',
  wrapper: 'the tag around the fragment is never closed',
  'open-fence': 'the fence around the fragment is never closed',
  indentation: 'a line of the fragment lacks the indentation of the fence around it',
  'too-many-fences': 'it is not clear where the fence around the fragment ends',
  several: 'it holds more than one text that could be the fragment',
  'no-element': 'it holds no element',
};

/** The model answered with nothing, or with nothing but thinking. */
export function emptyAnswer(drafts: number): InvokeError {
  return new InvokeError('ERR_XMD_PLAN_EMPTY', 'Cannot plan: the answer of the model is empty', {
    drafts,
    hint: 'Ask again, or ask another model.',
  });
}

/** The answer ended because it was as long as it may be; half a fragment is none. */
export function cutOffAnswer(drafts: number): InvokeError {
  return new InvokeError('ERR_XMD_PLAN_CUT_OFF', 'Cannot plan: the answer of the model was cut off', {
    drafts,
    hint: 'Allow longer answers (options.maxTokens), or ask for less.',
  });
}

/** The model or its endpoint did not want to answer. */
export function filteredAnswer(drafts: number): InvokeError {
  return new InvokeError('ERR_XMD_PLAN_FILTERED', 'Cannot plan: the answer of the model was filtered', {
    drafts,
    hint: 'Ask for it in other words.',
  });
}

/** What was answered is not one fragment. */
export function unclearAnswer(reason: Exclude<Unclear, 'empty'>, drafts: number): InvokeError {
  return new InvokeError('ERR_XMD_PLAN_UNCLEAR', `Cannot plan: ${UNCLEAR_SENTENCES[reason]}`, {
    reason,
    drafts,
    hint: 'State repair, or ask a model that follows instructions.',
  });
}

/** The model failed. `reason` is its code or a fixed word; its message may hold anything and is only the cause. */
export function modelFailed(reason: string, cause?: unknown): InvokeError {
  return new InvokeError(
    'ERR_XMD_PLAN_MODEL',
    `Cannot plan: the model failed (${reason})`,
    {
      reason,
      hint: 'Check the endpoint, the name and the key of the model; state a retry on the step for what passes.',
    },
    cause === undefined ? undefined : { cause },
  );
}

/** What a step or a resource stated is not a request for a plan. `reason` is a fixed word, never what was stated. */
export function planRefused(reason: string, found: string, hint: string): InvokeError {
  return new InvokeError('ERR_XMD_INPUT', `Cannot plan: ${found}`, { reason, hint });
}
