import type { JsonObject } from '../values/json.ts';

/** A closed JSON Schema of props. Pure. */
export function closedProps(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The prop that every standard operation has. */
export const PATH_PROP: JsonObject = {
  type: 'string',
  minLength: 1,
  description: 'Relative POSIX path below the root or the enclosing Dir',
};
