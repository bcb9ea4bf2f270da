import { createRequire } from 'node:module';
import type { Ajv } from 'ajv';

let engine: Ajv | undefined;

/**
 * The schema engine for manifests and variables: draft-07, all errors, annotations ignored. Loaded at the first use,
 * because many manifests are read without it and its import is a good part of a cold start.
 */
export function schemaEngine(): Ajv {
  if (engine !== undefined) return engine;
  const loaded: typeof import('ajv') = createRequire(import.meta.url)('ajv');
  engine = new loaded.Ajv({
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
    validateFormats: false,
    addUsedSchema: false,
  });
  return engine;
}
