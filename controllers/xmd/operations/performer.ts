import type { CancellationToken, DurableRunHandle } from '@telorun/sdk';
import type { PlannedEffect } from '../preflight/plan.ts';
import type { FileObservation } from '../providers/files.ts';
import type { JsonValue } from '../values/json.ts';
import type { Limits } from '../vocabulary/limits.ts';

/** What was approved of one change of a file. */
export interface ApprovedChange {
  /** Where the file really is, relative to the root, every link on the way resolved. */
  readonly place: string;
  /** What it is to find, given what stands there now; undefined when that cannot be what was approved. Pure. */
  before(now: FileObservation): FileObservation | undefined;
  /** SHA-256 of what it is to write; null when that was not known. */
  readonly content: string | null;
}

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
  /** What a person approved of this change, where it was approved. */
  readonly approved?: ApprovedChange;
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
