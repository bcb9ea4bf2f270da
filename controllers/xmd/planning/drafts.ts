import type { CancellationToken, DurableRunHandle } from '@telorun/sdk';
import { stepPath } from '@telorun/sdk';
import { fragmentRefused, recordUnreadable } from '../errors.ts';
import type { Refusal } from '../fragment/fragment.ts';
import { refusalMessage } from '../fragment/refusal.ts';
import { checkText } from '../preflight/check.ts';
import type { Limits } from '../vocabulary/limits.ts';
import type { Table } from '../vocabulary/table.ts';
import { extractFragment } from './extract.ts';
import type { Unclear } from './extraction.ts';
import { refusedMessages, unclearMessages } from './messages.ts';
import type { Draft, DraftRequest, Message, Model } from './model.ts';
import { readDraft } from './model.ts';
import { cutOffAnswer, emptyAnswer, filteredAnswer, modelFailed, unclearAnswer } from './problems.ts';

/** What a plan is made with, once everything stated has been read. */
export interface Planning {
  readonly model: Model;
  readonly table: Table;
  readonly limits: Limits;
  readonly options?: DraftRequest['options'];
  readonly cancellation: CancellationToken;
  /** How often a refused draft goes back; undefined when drafts are not judged. */
  readonly repairs: number | undefined;
}

/** Where drafts are recorded. Absent outside a run and in a collapsed region. */
export interface DraftPlace {
  readonly handle: DurableRunHandle;
  readonly base: string;
  /** Number of the first draft: each attempt of the step has numbers of its own. */
  readonly first: number;
}

type Judgement =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: Error; readonly told: readonly Message[] };

/**
 * Asks for drafts until one can be used.
 *
 * Durable: each answer is one step at `<base>/draft[n]`; what follows from it is computed again on replay.
 *
 * @throws InvokeError ERR_XMD_PLAN_*, ERR_XMD_REFUSED, ERR_XMD_RECORD_UNREADABLE
 * @see kernel-specs/plan.md PL-12 to PL-16
 */
export async function planText(
  first: readonly Message[],
  planning: Planning,
  place: DraftPlace | undefined,
): Promise<string> {
  let messages = first;
  for (let index = 0; ; index += 1) {
    const draft = await askFor(messages, { planning, place, index });
    const judged = judge(draft, planning, index + 1);
    if (judged.ok) {
      return judged.text;
    }
    if (index >= (planning.repairs ?? 0)) {
      throw judged.error;
    }
    messages = [...first, ...judged.told];
  }
}

async function askFor(
  messages: readonly Message[],
  at: { readonly planning: Planning; readonly place: DraftPlace | undefined; readonly index: number },
): Promise<Draft> {
  const { planning, place, index } = at;
  const { model, options, cancellation } = planning;
  const inputs = { messages, ...(options === undefined ? {} : { options }) };
  const ask = (): Promise<Draft> => model.ask({ ...inputs, cancellation });
  if (place === undefined) {
    return ask();
  }
  const path = stepPath(place.base, 'draft', place.first + index);
  const recorded = await place.handle.step(path, model.target, inputs, ask);
  const draft = readDraft(recorded);
  if (draft === undefined) {
    throw recordUnreadable(path, 'draft');
  }
  return draft;
}

/** Whether a draft can be used. @throws InvokeError where asking again in the same way would not help */
function judge(draft: Draft, planning: Planning, drafts: number): Judgement {
  assertWhole(draft, drafts);
  const { table, limits, repairs } = planning;
  const found = extractFragment(draft.text, limits);
  if (!found.ok) {
    return { ok: false, error: unclearError(found.reason, drafts), told: unclearMessages(draft.text, found.reason) };
  }
  const verdict = repairs === undefined ? undefined : checkText(found.text, table, limits);
  return verdict === undefined || verdict.ok
    ? found
    : { ok: false, error: refusedError(verdict.refusal), told: refusedMessages(found.text, verdict.refusal, table) };
}

function assertWhole({ finishReason }: Draft, drafts: number): void {
  switch (finishReason) {
    case 'length':
      throw cutOffAnswer(drafts);
    case 'content-filter':
      throw filteredAnswer(drafts);
    case 'error':
    case 'tool-calls':
      throw modelFailed(finishReason);
    default:
  }
}

function unclearError(reason: Unclear, drafts: number): Error {
  return reason === 'empty' ? emptyAnswer(drafts) : unclearAnswer(reason, drafts);
}

function refusedError(refusal: Refusal): Error {
  return fragmentRefused(refusal, refusalMessage(refusal));
}
