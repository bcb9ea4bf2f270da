import { Ajv } from 'ajv';

/** What `schema` says against `payload`, one line each; nothing when it fits. Pure. */
export function validateAnswer(schema: unknown, payload: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const check = ajv.compile(schema);
  if (check(payload)) return [];
  return (check.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || '(the answer)'} ${message ?? 'does not fit'}`,
  );
}
