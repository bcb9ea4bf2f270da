import type { CancellationToken, DurableRunHandle } from '@telorun/sdk';
import type { PlannedEffect } from '../preflight/plan.ts';
import type { JsonValue } from '../values/json.ts';
import type { Limits } from '../vocabulary/limits.ts';

/** What surrounds one effect while it is performed. */
export interface EffectScope {
  /** Full step path of the effect. */
  readonly path: string;
  /** The run to record pre-images in; absent outside a durable run and in a collapsed region. */
  readonly durable?: DurableRunHandle;
  /** Attempt of the occurrence, from 0; suffixes the `before` key. */
  readonly attempt: number;
  /** Exact content of a paired element: rendered children, or its literal. */
  readonly content: string;
  readonly cancellation: CancellationToken;
  readonly limits: Limits;
}

/** The performing half of one operation. One file each. */
export interface Performer {
  /** Whether a standard operation is cancelled after `effectMs`, as those of the host are: files cannot be interrupted. */
  readonly timed?: boolean;
  /** Effect. Answers plain JSON. @throws InvokeError ERR_XMD_EFFECT {effect, reason}, ERR_XMD_CONFLICT */
  perform(effect: PlannedEffect, scope: EffectScope): Promise<JsonValue>;
  /** Pure. What the element adds to `output`; `content` is what its children rendered. */
  render(value: JsonValue, content: string): string;
}
