import { isMembers } from '../admission/shape.ts';
import { recordUnreadable } from '../errors.ts';
import type { JsonObject } from '../values/json.ts';

/** What was decided about a call in doubt: it happened and has this value, it is made again, or it failed. */
export type DoubtDecision =
  | { readonly decision: 'done'; readonly value: unknown }
  | { readonly decision: 'retry' }
  | { readonly decision: 'fail' };

/** What an answer to a doubt must be. */
export const DOUBT_SCHEMA: JsonObject = {
  type: 'object',
  required: ['decision'],
  additionalProperties: false,
  properties: {
    decision: { enum: ['done', 'retry', 'fail'], description: 'done: it happened; retry: call again; fail: give up.' },
    value: { description: 'With done: the value of the effect; null where it is left out.' },
  },
};

/**
 * Reads what is on record about a doubt, closed.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_RECORD_UNREADABLE
 */
export function readDoubtDecision(value: unknown, path: string): DoubtDecision {
  const known = isMembers(value) && Object.keys(value).every((name) => name === 'decision' || name === 'value');
  const decision = known ? value['decision'] : undefined;
  if (known && decision === 'done') {
    return { decision, value: value['value'] };
  }
  if (decision === 'retry' || decision === 'fail') {
    return { decision };
  }
  throw recordUnreadable(path, 'the decision about a call in doubt');
}
