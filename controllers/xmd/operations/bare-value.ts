import type { JsonValue } from '../values/json.ts';

/**
 * A copy of plain data whose objects have no prototype, at any depth: what an expression may look at, and nothing else
 * is reachable from it.
 *
 * Pure. Recurses as deep as the value, which was brought to plain data before.
 *
 * @see kernel-specs/host-operations.md HO-04
 */
export function bareValue(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (isList(value)) {
    return value.map(bareValue);
  }
  const bare: Record<string, JsonValue> = Object.create(null);
  for (const [name, member] of Object.entries(value)) {
    bare[name] = bareValue(member);
  }
  return bare;
}

// Array.isArray does not narrow a readonly array.
function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
