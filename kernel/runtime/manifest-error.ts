import { InvokeError } from '@telorun/sdk';
import type { Diagnostic } from '../manifest/model.ts';

/** A manifest that cannot be booted, with every finding. Code `ERR_MANIFEST_VALIDATION_FAILED`. */
export class ManifestError extends InvokeError {
  readonly diagnostics: readonly Diagnostic[];

  constructor(manifest: string, diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const lines = errors.map(
      ({ position, message, code }) => `  ${position.file}:${position.line}:${position.column}  ${message}  ${code}`,
    );
    super(
      'ERR_MANIFEST_VALIDATION_FAILED',
      [
        `Cannot load manifest "${manifest}": ${errors.length} ${errors.length === 1 ? 'error' : 'errors'}`,
        ...lines,
      ].join('\n'),
      { manifest, diagnostics, hint: 'Correct the places named, then run the check command again.' },
    );
    this.diagnostics = diagnostics;
  }
}

/** Whether `error` is a `ManifestError`, whichever copy of this package made it. Pure. */
export function isManifestError(error: unknown): error is ManifestError {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MANIFEST_VALIDATION_FAILED' &&
    'diagnostics' in error &&
    Array.isArray(error.diagnostics)
  );
}
