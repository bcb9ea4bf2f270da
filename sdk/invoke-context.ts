import type { CancellationToken } from './cancellation.ts';
import type { DurableRunHandle } from './durable-run.ts';
import type { ZoneEntry } from './zone.ts';

/** What travels with one dispatch. Immutable; `deriveContext` is the only way to make another from it. */
export interface InvokeContext {
  readonly cancellation: CancellationToken;
  readonly invocationId?: string;
  readonly parentInvocationId?: string;
  readonly traceId?: string;
  /** Open zones, innermost last. */
  readonly zones?: readonly ZoneEntry[];
  readonly durable?: DurableRunHandle;
  /** Step path of the step whose dispatch led here. */
  readonly durablePath?: string;
  /**
   * Which attempt at `durablePath` this is, from 0, cumulative over enclosing retries. Not part of SDK 0.80:
   * stated only by a host that never dispatches a recorded attempt again.
   */
  readonly attempt?: number;
}

/** Members to put in place of those of a context; a member stated as undefined is taken out. */
export type ContextOverrides = { readonly [Member in keyof InvokeContext]?: InvokeContext[Member] | undefined };

/** Answers `base` with some members replaced. Pure: the only way to make a context from another. */
export function deriveContext(base: InvokeContext, overrides: ContextOverrides): InvokeContext {
  const { cancellation, ...rest } = overrides;
  const derived: Record<string, unknown> = { ...base, ...rest };
  for (const name in rest) if (derived[name] === undefined) delete derived[name];
  return Object.freeze({ ...derived, cancellation: cancellation ?? base.cancellation });
}

/** The handle of the durable run that this dispatch belongs to, if any. Pure. */
export function durableHandleOf(ctx: InvokeContext | undefined): DurableRunHandle | undefined {
  return ctx?.durable;
}
