import type { AdmittedPlan } from '../admission/admit.ts';
import { isJsonValue } from '../admission/shape.ts';
import type { PlannedEffect, PlannedNode } from '../preflight/plan.ts';
import { digestOf } from './digest.ts';
import type { Stage } from './effect.ts';
import { effectPath, performEffect, resultLimitFailure } from './effect.ts';
import { ObservedBytes } from './observed-bytes.ts';
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

/** An effect whose turn it is, and the content that it is performed with. */
interface Due {
  readonly owner: Owner;
  readonly content: string;
}

interface Collected {
  readonly rendering: Rendering;
  readonly values: unknown[];
  /** Segments of the effects, in the order performed. */
  readonly segments: string[];
  readonly observations: ObservationRef[];
  readonly observed: ObservedBytes;
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
    observed: new ObservedBytes(),
    since: performance.now(),
  };
  const levels: Level[] = [{ nodes: plan.nodes, next: 0 }];
  for (;;) {
    const due = nextDue(levels, collected, stage);
    if (due === undefined) {
      return finish(collected, stage);
    }
    if ('outcome' in due) {
      return { outcome: due };
    }
    if (performance.now() - collected.since >= WORK_MS_MAX) {
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      collected.since = performance.now();
    }
    const result = await performEffect(due.owner.effect, due.content, stage);
    if (!result.ok) {
      return { outcome: result.failure };
    }
    collect(due.owner, result.value, collected);
  }
}

/** Goes on to the next effect to perform, rendering what lies before it; a failure when that is too much. */
function nextDue(levels: Level[], collected: Collected, stage: Stage): Due | FailedOutcome | undefined {
  const { rendering } = collected;
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { owner } = level;
    if (owner?.performed === undefined && owner?.effect.operation.children === 'after') {
      return { owner, content: '' };
    }
    const node = level.nodes[level.next];
    level.next += 1;
    if (node?.kind === 'text') {
      rendering.write(node.text);
    } else if (node !== undefined) {
      const nodes = node.literal === undefined ? node.children : [];
      levels.push({ nodes, next: 0, owner: { effect: node, opening: rendering.open() } });
    } else if (owner === undefined) {
      levels.pop();
    } else if (owner.performed === undefined) {
      return { owner, content: contentOf(owner, rendering) };
    } else {
      levels.pop();
      const failure = leave(owner, owner.performed, collected, stage);
      if (failure !== undefined) {
        return failure;
      }
    }
  }
  return undefined;
}

/** Keeps what an effect came to, which renders once its content is through. */
function collect(owner: Owner, value: unknown, { values, segments, observations, observed }: Collected): void {
  const { operation, segment } = owner.effect;
  owner.performed = values.push(value) - 1;
  segments.push(segment);
  if (operation.grant === 'read') {
    observations.push({ name: operation.name, effect: owner.performed });
    observed.add(value);
  }
}

/** Puts what an element renders in place of its content; `performed` is the number of its effect. */
function leave(owner: Owner, performed: number, collected: Collected, stage: Stage): FailedOutcome | undefined {
  const { effect, opening } = owner;
  const value = collected.values[performed];
  const content = contentOf(owner, collected.rendering);
  const text = stage.performerOf(effect.operation).render(isJsonValue(value) ? value : null, content);
  collected.rendering.close(opening, { text, effect: performed, value });
  return exceeds(collected, stage) ? resultLimitFailure(effectPath(stage, effect)) : undefined;
}

function contentOf({ effect }: Owner, rendering: Rendering): string {
  return effect.literal ?? rendering.content;
}

function exceeds({ rendering, observed }: Collected, stage: Stage): boolean {
  return observed.exceed(stage.limits.resultBytes - rendering.bytes);
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
