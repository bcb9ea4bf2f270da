import { isInvokeError } from '@telorun/sdk';
import type { JsonValue } from '../values/json.ts';
import { requestLimitJson } from '../values/request-limit.ts';
import { LIMIT_DEFAULTS } from '../vocabulary/limits.ts';
import { readRequestLimits } from '../vocabulary/request-limits.ts';
import { readStatedAddresses } from '../vocabulary/stated-addresses.ts';
import { readPathLimits } from '../vocabulary/stated-paths.ts';
import { RECORD_VERSION } from './record.ts';
import type { Members } from './shape.ts';
import { hasExactly, isMembers, isSameJson, readCount, readEach } from './shape.ts';

const ALLOW: ReadonlySet<string> = new Set(['["read"]', '["write"]', '["read","write"]']);
const FORMS: ReadonlySet<string> = new Set(['["self-closing"]', '["paired"]', '["self-closing","paired"]']);

/** Whether `allow` is a non-empty list of read and write, each once, in that order. Pure. */
export function isAllow(value: unknown): boolean {
  return isShortList(value) && ALLOW.has(JSON.stringify(value));
}

/** Whether forms are a non-empty list of the two forms, each once, self-closing first. Pure. */
export function isForms(value: unknown): boolean {
  return isShortList(value) && FORMS.has(JSON.stringify(value));
}

function isShortList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= 2 && value.every((item) => typeof item === 'string');
}

/** Whether a policy has the shape that `policyOf` gives, every part of it in its normal form. Pure. @see A-02 */
export function isPolicy(policy: Members): boolean {
  const { version, allow, allowed, requests, addresses, paths, limits, root } = policy;
  return (
    hasExactly(policy, ['version', 'allow', 'allowed', 'requests', 'addresses', 'paths', 'limits', 'root']) &&
    version === RECORD_VERSION &&
    isAllow(allow) &&
    readEach(allowed, (entry) => (isAllowedEntry(entry) ? entry : undefined)) !== undefined &&
    isNormal(requests, () => readRequestLimits(requests).map(requestLimitJson)) &&
    isNormal(addresses, () => readStatedAddresses(addresses).map(({ text }) => text)) &&
    isNormal(paths, () => readPathLimits(paths).json(['read', 'write', 'delete'])) &&
    isLimits(limits) &&
    typeof root === 'string'
  );
}

/** Whether a part of a policy is what reading it as a profile's and stating it again makes of it. */
function isNormal(part: unknown, restated: () => JsonValue): boolean {
  try {
    return isSameJson(part, restated());
  } catch (error) {
    if (isInvokeError(error) && error.code === 'ERR_XMD_PROFILE') {
      return false;
    }
    throw error;
  }
}

function isAllowedEntry(entry: unknown): boolean {
  return (
    isMembers(entry) &&
    hasExactly(entry, ['name', 'identity', 'forms']) &&
    typeof entry['name'] === 'string' &&
    isIdentity(entry['identity']) &&
    isForms(entry['forms'])
  );
}

function isIdentity(identity: unknown): boolean {
  return (
    isMembers(identity) &&
    hasExactly(identity, ['kind', 'origin', 'key', 'revision']) &&
    (identity['kind'] === 'standard' || identity['kind'] === 'host') &&
    [identity['origin'], identity['key'], identity['revision']].every((part) => typeof part === 'string')
  );
}

function isLimits(limits: unknown): boolean {
  const names = Object.keys(LIMIT_DEFAULTS);
  return (
    isMembers(limits) && hasExactly(limits, names) && names.every((name) => readCount(limits[name], 1) !== undefined)
  );
}
