import type { AdmittedPlan } from '../admission/admit.ts';
import { isJsonValue } from '../admission/shape.ts';
import type { PlannedEffect, PlannedNode } from '../preflight/plan.ts';
import { bytesOf, digestOf } from './digest.ts';
import type { Stage } from './effect.ts';
import { effectPath, performEffect, resultLimitFailure } from './effect.ts';
import type { CompletedOutcome, FailedOutcome, ObservationRef } from './outcome.ts';
import type { Opening } from './rendering.ts';
import { Rendering } from './rendering.ts';

// Files are synchronous: without a turn of the event loop a host would hear no interruption before the last effect. An
// immediate that is set by an immediate runs after the next poll.
const WORK_MS_MAX = 20;

/** What performing came to, with the values that the outcome only refers to. */
export type Performed =
  { readonly outcome: CompletedOutcome; readonly values: readonly unknown[] } | { readonly outcome: FailedOutcome };

/** The nodes at one level, and the element they are the content of. */
interface Level {
  readonly nodes: readonly PlannedNode[];
  next: number;
  readonly owner?: Owner;
}

interface Owner {
  readonly effect: PlannedEffect;
  readonly opening: Opening;
  /** Number of the effect, once performed; an element whose content comes first has none until then. */
  performed?: number;
}

interface Collected {
  readonly rendering: Rendering;
  readonly values: unknown[];
  /** Segments of the effects, in the order performed. */
  readonly segments: string[];
  readonly observations: ObservationRef[];
  observedBytes: number;
  /** When the event loop last turned, in milliseconds. */
  since: number;
}

/**
 * Performs the effects of an admitted fragment in authored order and collects what they come to.
 *
 * Effect: the only loop over effects. Stops at the first failure. Linear, does not recurse.
 *
 * @see kernel-specs/evaluate.md EV-31
 */
export async function perform(plan: AdmittedPlan, stage: Stage): Promise<Performed> {
  const collected: Collected = {
    rendering: new Rendering(),
    values: [],
    segments: [],
    observations: [],
    observedBytes: 0,
    since: performance.now(),
  };
  const levels: Level[] = [{ nodes: plan.nodes, next: 0 }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const node = level.nodes[level.next];
    level.next += 1;
    if (node === undefined) {
      levels.pop();
      const failure = level.owner === undefined ? undefined : await leave(level.owner, collected, stage);
      if (failure !== undefined) {
        return { outcome: failure };
      }
    } else if (node.kind === 'text') {
      collected.rendering.write(node.text);
    } else {
      const owner: Owner = { effect: node, opening: collected.rendering.open() };
      const failure = node.operation.children === 'after' ? await enact(owner, '', collected, stage) : undefined;
      if (failure !== undefined) {
        return { outcome: failure };
      }
      levels.push({ nodes: node.literal === undefined ? node.children : [], next: 0, owner });
    }
  }
  return finish(collected, stage);
}

/** Performs the element now if its content came first, and puts what it renders in place of its content. */
async function leave(owner: Owner, collected: Collected, stage: Stage): Promise<FailedOutcome | undefined> {
  const { effect, opening } = owner;
  const { rendering } = collected;
  const content = effect.literal ?? rendering.content;
  const failure = owner.performed === undefined ? await enact(owner, content, collected, stage) : undefined;
  if (failure !== undefined || owner.performed === undefined) {
    return failure;
  }
  const value = collected.values[owner.performed];
  const text = stage.performerOf(effect.operation).render(isJsonValue(value) ? value : null, content);
  rendering.close(opening, { text, effect: owner.performed, value });
  return exceeds(collected, stage) ? resultLimitFailure(effectPath(stage, effect)) : undefined;
}

async function enact(
  owner: Owner,
  content: string,
  collected: Collected,
  stage: Stage,
): Promise<FailedOutcome | undefined> {
  const { effect } = owner;
  if (performance.now() - collected.since >= WORK_MS_MAX) {
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    collected.since = performance.now();
  }
  const result = await performEffect(effect, content, stage);
  if (!result.ok) {
    return result.failure;
  }
  owner.performed = collected.values.push(result.value) - 1;
  collected.segments.push(effect.segment);
  if (effect.operation.grant === 'read') {
    collected.observations.push({ name: effect.operation.name, effect: owner.performed });
    collected.observedBytes += bytesOf(result.value);
  }
  return undefined;
}

function exceeds({ rendering, observedBytes }: Collected, stage: Stage): boolean {
  return rendering.bytes + observedBytes > stage.limits.resultBytes;
}

function finish(collected: Collected, stage: Stage): Performed {
  const { rendering, values, segments, observations } = collected;
  if (exceeds(collected, stage)) {
    return { outcome: resultLimitFailure(stage.base) };
  }
  // Digested now: a run that waits before its end, and goes through its records again, needs none.
  const effects = segments.map((segment, index) => [segment, digestOf(values[index])] as const);
  return { outcome: { outcome: 'completed', observations, output: rendering.parts, effects }, values };
}
