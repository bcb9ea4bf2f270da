import type { JsonObject } from '../values/json.ts';
import type { LimitedAccess } from '../values/path-limits.ts';
import { requestLimitJson } from '../values/request-limit.ts';
import type { Grant, Identity } from './operation.ts';
import type { Limits } from './limits.ts';
import type { Table } from './table.ts';

/** What a policy is made of besides the table. */
export interface PolicyOptions {
  readonly table: Table;
  readonly limits: Limits;
  /** The root as the profile writes it. */
  readonly root: string;
}

const ACCESS: Readonly<Record<Grant, readonly LimitedAccess[]>> = { read: ['read'], write: ['write', 'delete'] };

/**
 * The normalised policy of one evaluation as JSON: what is compared, whole and in order, when a run continues.
 *
 * Pure. What allow did not select is not in it: neither entries nor requests, addresses and paths.
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
    requests: table.requests.map(requestLimitJson),
    addresses: table.addresses.map(({ text }) => text),
    paths: table.paths.json(table.allow.flatMap((grant) => ACCESS[grant])),
    limits: { ...limits },
    root,
  };
}

/** An identity as JSON, with exactly its four members. Pure. */
function identityJson(identity: Identity): JsonObject {
  const { kind, origin, key, revision } = identity;
  return { kind, origin, key, revision };
}
