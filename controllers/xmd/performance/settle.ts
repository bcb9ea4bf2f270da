import type { DurableTarget } from '@telorun/sdk';
import { decodeJsonValue } from '@telorun/sdk';
import type { AdmittedPlan } from '../admission/admit.ts';
import { recordUnreadable } from '../errors.ts';
import type { PlannedEffect } from '../preflight/plan.ts';
import { isAnswered } from '../vocabulary/answered.ts';
import { digestOf } from './digest.ts';
import type { Stage } from './effect.ts';
import { effectPath, errorOf } from './effect.ts';
import type { CompletedOutcome, EvaluationResult, Outcome } from './outcome.ts';
import type { Performed } from './perform.ts';
import { perform } from './perform.ts';
import { readOutcome } from './read-outcome.ts';

/**
 * Brings one attempt of an occurrence to its outcome, and the outcome to a result.
 *
 * Durable: all effects are performed inside one step at `outcomePath`, so an attempt that is on record performs nothing.
 * Without a path nothing is recorded.
 *
 * @throws InvokeError what the failed operation threw, as recorded; ERR_XMD_RECORD_UNREADABLE
 * @see kernel-specs/evaluate.md EV-40
 */
export async function settle(plan: AdmittedPlan, stage: Stage, outcomePath?: string): Promise<EvaluationResult> {
  if (outcomePath === undefined || stage.handle === undefined) {
    const unrecorded = await perform(plan, stage);
    return resultOf(unrecorded.outcome, { plan, stage, performed: unrecorded, outcomePath: stage.base });
  }
  let performed: Performed | undefined;
  const inputs = { attempt: stage.attempt };
  const recorded = await stage.handle.step(outcomePath, undefined, inputs, async () => {
    performed = await perform(plan, stage);
    return performed.outcome;
  });
  return resultOf(readOutcome(recorded, outcomePath), {
    plan,
    stage,
    outcomePath,
    ...(performed === undefined ? {} : { performed }),
  });
}

interface Evidence {
  readonly plan: AdmittedPlan;
  readonly stage: Stage;
  readonly performed?: Performed;
  readonly outcomePath: string;
}

async function resultOf(outcome: Outcome, evidence: Evidence): Promise<EvaluationResult> {
  if (outcome.outcome === 'failed') {
    throw errorOf(outcome);
  }
  const planned = effectsInOrder(outcome, evidence);
  const values = new Map<number, unknown>();
  const valueAt = async (effect: number): Promise<unknown> => {
    if (!values.has(effect)) {
      values.set(effect, await valueOf(effect, planned[effect], { outcome, evidence }));
    }
    return values.get(effect);
  };
  const targetAt = (effect: number): DurableTarget | undefined => {
    const one = planned[effect];
    return one === undefined ? undefined : evidence.stage.targetOf(one.operation);
  };
  assertObserved(outcome, planned, evidence.outcomePath);
  const observations: { name: string; value: unknown }[] = [];
  for (const { name, effect } of outcome.observations) {
    const value = await valueAt(effect);
    const target = targetAt(effect);
    observations.push({ name, value: isAnswered(target) ? value : decodeJsonValue(value) });
  }
  const pieces: string[] = [];
  for (const part of outcome.output) {
    const text = typeof part === 'string' ? part : await valueAt(part);
    if (typeof text !== 'string') {
      throw recordUnreadable(evidence.outcomePath, 'output');
    }
    pieces.push(text);
  }
  return { observations, output: pieces.join('') };
}

/** The observations of an outcome are its reads: each once, in order, none left out. */
function assertObserved({ observations }: CompletedOutcome, planned: readonly PlannedEffect[], path: string): void {
  const reads = planned.flatMap(({ operation: { name, grant } }, effect) =>
    grant === 'read' ? [{ name, effect }] : [],
  );
  const same = reads.every(({ name, effect }, index) => {
    const one = observations[index];
    return one?.name === name && one.effect === effect;
  });
  if (!same || reads.length !== observations.length) {
    throw recordUnreadable(path, 'observations');
  }
}

/** The effects that the outcome counts, which must be those of the plan, each once. */
function effectsInOrder(outcome: CompletedOutcome, { plan, outcomePath }: Evidence): readonly PlannedEffect[] {
  const bySegment = new Map(plan.effects.map((effect) => [effect.segment, effect]));
  const listed = outcome.effects.map(([path]) => {
    const effect = bySegment.get(path);
    bySegment.delete(path);
    return effect;
  });
  const known = listed.filter((effect) => effect !== undefined);
  if (known.length !== listed.length || bySegment.size > 0) {
    throw recordUnreadable(outcomePath, 'effects');
  }
  return known;
}

/** The value of one effect: as just performed, else from its own entry, which must be there and be the same. */
async function valueOf(
  index: number,
  effect: PlannedEffect | undefined,
  { outcome, evidence }: { readonly outcome: CompletedOutcome; readonly evidence: Evidence },
): Promise<unknown> {
  const { stage, performed, outcomePath } = evidence;
  const [, sha256] = outcome.effects[index] ?? [];
  if (effect === undefined) {
    throw recordUnreadable(outcomePath, 'effects');
  }
  if (performed !== undefined && 'values' in performed && performed.outcome.effects[index]?.[1] === sha256) {
    return performed.values[index];
  }
  const path = effectPath(stage, effect);
  const target = stage.targetOf(effect.operation);
  const value = await stage.handle?.step(path, target, effect.input, async () => {
    throw recordUnreadable(path, 'the value');
  });
  if (digestOf(value ?? null) !== sha256) {
    throw recordUnreadable(path, 'the value');
  }
  return value ?? null;
}
