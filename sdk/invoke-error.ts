const BRAND = Symbol.for('telo.InvokeError');

/**
 * A rejection that a manifest can match by its code. Recognise one with `isInvokeError`: two copies of this package may be
 * loaded in one process.
 *
 * @see kernel-specs/durable-run.md D-03
 */
export class InvokeError extends Error {
  readonly code: string;
  readonly data: unknown;
  readonly [BRAND] = true;

  constructor(code: string, message: string, data?: unknown, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'InvokeError';
    this.code = code;
    this.data = data;
  }
}

/** Whether `error` is an InvokeError, of this or another copy of the package. Pure. */
export function isInvokeError(error: unknown): error is InvokeError {
  return typeof error === 'object' && error !== null && Reflect.get(error, BRAND) === true;
}

/** The `code` of anything thrown, when it has one. Pure. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : undefined;
}
