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
