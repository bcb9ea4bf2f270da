import type { KindRef, ResourceContext } from './controller.ts';
import { durableHandleOf, type InvokeContext } from './invoke-context.ts';
import { journalingSuppressed } from './journaling.ts';
import { formOf } from './steps/forms.ts';
import type { Frame, ScopeContext, StepClock } from './steps/frame.ts';
import { inlineInvokes } from './steps/inline.ts';
import { readSteps, type Step } from './steps/step.ts';

export interface StepEngineOptions {
  /** Canonical kind of the resource whose body this is. */
  readonly kind: string;
  readonly resourceName: string;
  readonly clock?: StepClock;
}

const SYSTEM_CLOCK: StepClock = { now: () => Date.now(), random: () => Math.random() };
const ROOT = 'steps';

/** The path that a body's steps stand below: that of the dispatching step, or `steps`. Pure. */
export function bodyPath(invokeCtx: InvokeContext | undefined): string {
  return invokeCtx?.durablePath ?? ROOT;
}

async function runBody(body: unknown, path: string, frame: Frame): Promise<void> {
  const nested = path !== ROOT;
  for (const named of readSteps(body)) {
    frame.invokeCtx?.cancellation.throwIfCancelled();
    await formOf(named.step)(named.step, `${path}/${nested ? named.nested : named.segment}`, frame);
  }
}

/**
 * Runs the steps of one resource's body.
 *
 * @see kernel-specs/steps.md
 */
export class StepEngine {
  readonly #ctx: ResourceContext;
  readonly #options: StepEngineOptions;
  readonly #inline = new WeakMap<Step, KindRef>();

  constructor(ctx: ResourceContext, options: StepEngineOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Registers every inline `invoke` of a body. Effect: declares resources. Called in `init`, once per body. */
  resolveInvokes(steps: unknown): void {
    for (const { step, name } of inlineInvokes(steps, this.#options)) {
      this.#inline.set(step, this.#ctx.ensureKindRef(step.invoke, name));
    }
  }

  /**
   * Runs a body. Results are kept in `accumulator` as `{result}` by step name, which expressions see as `steps`.
   *
   * Durable inside a run, below `path`: the ambient step path, or `steps`. A repeated body states its own, with its index.
   */
  async executeSteps(
    steps: unknown,
    accumulator: Record<string, unknown>,
    scope: ScopeContext | undefined,
    extraCel: Readonly<Record<string, unknown>>,
    invokeCtx?: InvokeContext,
    path: string = bodyPath(invokeCtx),
  ): Promise<void> {
    const ambient = durableHandleOf(invokeCtx);
    const suppressed = ambient !== undefined && journalingSuppressed(this.#ctx, invokeCtx, ambient);
    await runBody(steps, path, {
      ctx: this.#ctx,
      resourceName: this.#options.resourceName,
      clock: this.#options.clock ?? SYSTEM_CLOCK,
      cel: { ...extraCel, steps: accumulator },
      results: accumulator,
      scope,
      invokeCtx,
      handle: suppressed ? undefined : ambient,
      attempt: invokeCtx?.attempt ?? 0,
      replayOnly: false,
      runBody,
      inlineRef: (step) => this.#inline.get(step),
    });
  }
}
