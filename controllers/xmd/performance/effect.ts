import type { DurableRunHandle, DurableTarget, InvokeContext } from '@telorun/sdk';
import { decodeJsonValue, encodeJsonValue, InvokeError, isInvokeError, stepPath } from '@telorun/sdk';
import { isJsonValue } from '../admission/shape.ts';
import type { Approval } from '../approval/approval.ts';
import type { EffectScope, Performer } from '../operations/performer.ts';
import { plainValue } from '../operations/plain-value.ts';
import type { PlannedEffect } from '../preflight/plan.ts';
import type { Examiner } from '../secrets/examiner.ts';
import type { JsonValue } from '../values/json.ts';
import type { Limits } from '../vocabulary/limits.ts';
import { isAnswered } from '../vocabulary/answered.ts';
import type { Operation } from '../vocabulary/operation.ts';
import type { FailedOutcome } from './outcome.ts';
import { assertNoWaitBelow, codeOf, passesUnrecorded } from './signals.ts';
import { withinTimeLimit } from './time-limit.ts';
import type { WatchedHandle } from './watched-handle.ts';

/** Where and under what the effects of one evaluation are performed. */
export interface Stage {
  /** Path of the occurrence; empty outside a durable run. */
  readonly base: string;
  readonly attempt: number;
  readonly context: InvokeContext;
  readonly limits: Limits;
  /** The ambient run, if any. */
  readonly handle?: DurableRunHandle;
  /** The same, for performers; absent outside a run and in a collapsed region, where nothing of ours is recorded. */
  readonly watched?: WatchedHandle;
  /** What a person approved of the effects, where they did. */
  readonly approval?: Approval;
  /** Looks at what is about to be recorded of an effect; without one, nothing does. */
  readonly examiner?: Examiner;
  performerOf(operation: Operation): Performer;
  /** Where a dispatched resource is declared; undefined for the built-in operations. */
  targetOf(operation: Operation): DurableTarget | undefined;
}

export type EffectResult =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: FailedOutcome };

/** Full step path of an effect; outside a run, its path in the fragment. Pure. */
export function effectPath(stage: Pick<Stage, 'base'>, effect: PlannedEffect): string {
  return stage.base === '' ? effect.segment : stepPath(stage.base, effect.segment);
}

/**
 * Performs one effect, exactly one step of the journal, or answers its value from there.
 *
 * Durable: the bare value at the effect's path, on success only. What the operation itself throws is answered as a
 * failure; a suspension, a cancellation and an error of the handle pass.
 *
 * @see kernel-specs/evaluate.md EV-30
 */
export async function performEffect(effect: PlannedEffect, content: string, stage: Stage): Promise<EffectResult> {
  const path = effectPath(stage, effect);
  const target = stage.targetOf(effect.operation);
  stage.context.cancellation.throwIfCancelled();
  let thrown: { readonly error: unknown } | undefined;
  const execute = async (): Promise<unknown> => {
    try {
      const performed = await runOperation(effect, path, content, stage);
      const value = isAnswered(target) ? performed : encodeJsonValue(performed);
      if (stage.handle !== undefined) assertNoWaitBelow(stage.handle, path);
      stage.examiner?.value(effect.operation, path, value);
      return value;
    } catch (error) {
      if (!passesUnrecorded(error) && !(stage.watched?.isFault(error) ?? false)) {
        stage.context.cancellation.throwIfCancelled();
        const told: unknown = stage.examiner?.failure(effect.operation, path, error) ?? error;
        thrown = { error: told };
        throw told;
      }
      throw error;
    }
  };
  // A dispatched operation keeps its step in a collapsed region, too: a delivery must be readable.
  const handle = stage.watched === undefined && target === undefined ? undefined : stage.handle;
  try {
    const value = await (handle === undefined ? execute() : handle.step(path, target, effect.input, execute));
    stage.approval?.performed(effect, content);
    return { ok: true, value: value ?? null };
  } catch (error) {
    if (thrown?.error !== error) {
      throw error;
    }
    return { ok: false, failure: failureOf(error, path) };
  }
}

/** The failure of an effect whose value does not fit any more. Pure. */
export function resultLimitFailure(path: string): FailedOutcome {
  return failureOf(
    new InvokeError('ERR_XMD_EFFECT', `Cannot keep the result of "${path}": it is larger than resultBytes`, {
      effect: path,
      reason: 'result-limit',
    }),
    path,
  );
}

/** The error that a recorded failure stands for: the same on the first execution and on every later one. Pure. */
export function errorOf(failure: FailedOutcome): InvokeError {
  return failure.data === null
    ? new InvokeError(failure.code, failure.message)
    : new InvokeError(failure.code, failure.message, decodeJsonValue(failure.data));
}

function runOperation(effect: PlannedEffect, path: string, content: string, stage: Stage): Promise<JsonValue> {
  const { operation } = effect;
  const { attempt, limits, watched, approval } = stage;
  const approved = approval?.changeOf(effect);
  const scope: EffectScope = {
    path,
    attempt,
    content,
    limits,
    cancellation: stage.context.cancellation,
    ...(watched === undefined ? {} : { durable: watched.handle }),
    ...(approved === undefined ? {} : { approved }),
  };
  const performer = stage.performerOf(operation);
  if (operation.origin === 'standard' && performer.timed !== true) {
    return performer.perform(effect, scope);
  }
  return withinTimeLimit((cancellation) => performer.perform(effect, { ...scope, cancellation }), {
    limitMs: limits.effectMs,
    parent: stage.context.cancellation,
    expired: (cause) => timeLimitError(path, cause),
  });
}

function timeLimitError(path: string, cause: unknown): InvokeError {
  return new InvokeError(
    'ERR_XMD_EFFECT',
    `Cannot finish "${path}": it took longer than effectMs`,
    { effect: path, reason: 'time-limit' },
    { cause },
  );
}

function failureOf(error: unknown, path: string): FailedOutcome {
  return {
    outcome: 'failed',
    effect: path,
    code: codeOf(error) ?? 'ERR_XMD_EFFECT',
    message: error instanceof Error ? error.message : String(error),
    data: keptData(isInvokeError(error) ? error.data : { effect: path, reason: 'operation-failed' }, path),
  };
}

/** The data of a failure as a journal gives it back; data that no journal can keep is left out. */
function keptData(data: unknown, path: string): JsonValue {
  try {
    const kept = encodeJsonValue(plainValue(data, path));
    return isJsonValue(kept) ? kept : null;
  } catch (error) {
    if (isInvokeError(error) && error.code === 'ERR_XMD_EFFECT') {
      return null;
    }
    throw error;
  }
}
