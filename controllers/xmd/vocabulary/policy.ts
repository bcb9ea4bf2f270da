import type { JsonObject } from '../values/json.ts';
import type { Identity } from './operation.ts';
import type { Limits } from './limits.ts';
import type { Table } from './table.ts';

/** What a policy is made of besides the table. */
export interface PolicyOptions {
  readonly table: Table;
  readonly limits: Limits;
  /** The root as the profile writes it. */
  readonly root: string;
}

/**
 * The normalised policy of one evaluation as JSON: what is compared, whole and in order, when a run continues.
 *
 * Pure. Entries that allow did not select are not in it. `requests` and `paths` hold limits that no standard
 * operation has.
 */
export function policyOf(options: PolicyOptions): JsonObject {
  const { table, limits, root } = options;
  return {
    version: 2,
    allow: [...table.allow],
    allowed: table.entries.map(({ name, form, identity }) => ({
      name,
      identity: identityJson(identity),
      forms: [form],
    })),
    requests: [],
    paths: {},
    limits: { ...limits },
    root,
  };
}

/** An identity as JSON, with exactly its four members. Pure. */
function identityJson(identity: Identity): JsonObject {
  const { kind, origin, key, revision } = identity;
  return { kind, origin, key, revision };
}
