/** A failure of the runtime or its configuration. No `catches` row names it; `diagnostics` says where it was found. */
export class RuntimeError extends Error {
  readonly code: string;
  readonly diagnostics: readonly unknown[] | undefined;

  constructor(code: string, message: string, diagnostics?: readonly unknown[]) {
    super(message);
    this.name = 'RuntimeError';
    this.code = code;
    this.diagnostics = diagnostics;
  }
}
