import type { Place } from '../fragment/fragment.ts';
import type { JsonObject } from '../values/json.ts';
import type { Operation } from '../vocabulary/operation.ts';

declare const planned: unique symbol;

/** One element that will be performed. */
export interface PlannedEffect {
  readonly kind: 'effect';
  readonly operation: Operation;
  readonly input: JsonObject;
  /** Step path below the occurrence: `xmd[2]/Dir/xmd[0]/File`. */
  readonly segment: string;
  readonly place: Place;
  /** Nested nodes in authored order; text nodes hold exact characters, with the tag's own line ending already taken off. */
  readonly children: readonly PlannedNode[];
  /** Exact content, when it is not the rendered children. */
  readonly literal?: string;
}

export type PlannedNode = { readonly kind: 'text'; readonly text: string } | PlannedEffect;

/** A fragment that passed preflight. Only `preflight()` mints one. */
export interface Plan {
  readonly nodes: readonly PlannedNode[];
  /** Every effect in authored order (an element before its content). */
  readonly effects: readonly PlannedEffect[];
  readonly [planned]: true;
}
