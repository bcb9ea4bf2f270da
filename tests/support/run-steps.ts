import { StepEngine, type DurableRunHandle, type ResourceInstance, type StepClock } from '@telorun/sdk';
import { durableContext, fakeContext, type FakeContext, type FakeContextOptions } from './fake-context.ts';

export interface StepRun {
  readonly ctx: FakeContext;
  readonly results: Record<string, unknown>;
  readonly outcome: { readonly error?: unknown };
}

export interface StepRunOptions extends FakeContextOptions {
  readonly handle?: DurableRunHandle;
  readonly clock?: StepClock;
  readonly cel?: Readonly<Record<string, unknown>>;
  /** Ambient step path and attempt of the body. */
  readonly path?: string;
  readonly attempt?: number;
  readonly invokeCtx?: ReturnType<typeof durableContext>;
  readonly resources?: Readonly<Record<string, ResourceInstance>>;
}

/** Runs one body of steps with a fresh engine, as one execution of a process would. Failures are answered, not thrown. */
export async function runSteps(steps: unknown, options: StepRunOptions = {}): Promise<StepRun> {
  const ctx = fakeContext(options);
  const engine = new StepEngine(ctx, {
    kind: 'Run.Sequence',
    resourceName: 'main',
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  engine.resolveInvokes(steps);
  const results: Record<string, unknown> = {};
  const { handle, attempt } = options;
  const invokeCtx =
    options.invokeCtx ??
    (handle === undefined ? undefined : durableContext(handle, options.path, attempt === undefined ? {} : { attempt }));
  try {
    await engine.executeSteps(steps, results, undefined, options.cel ?? {}, invokeCtx);
    return { ctx, results, outcome: {} };
  } catch (error) {
    return { ctx, results, outcome: { error } };
  }
}

/** A clock that stands still until it is moved; chance always answers one half. */
export function fixedClock(start = 1_000): StepClock & { advance(ms: number): void } {
  let nowMs = start;
  return { now: () => nowMs, random: () => 0.5, advance: (ms) => void (nowMs += ms) };
}
