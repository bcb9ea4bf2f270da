/** Where something stands in a manifest: absolute file, line and column from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One finding of the loader or of `check`. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly position: Position;
  /** `<Kind>/<name>` of the resource concerned. */
  readonly resource?: string;
  /** Field path inside it, such as `steps[0].invoke`. */
  readonly path?: string;
  /** What to do, one imperative sentence. */
  readonly hint?: string;
}

export type FieldPath = readonly (string | number)[];

/** One YAML document: plain data in which tagged scalars are `Expression` or `Reference` instances (tagged.ts). */
export interface LoadedDocument {
  /** As authored: `Run.Sequence`, `Xmd.Evaluate`. */
  readonly kind: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** All top-level members but `kind` and `metadata`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Position of the value at `path`, or of its nearest ancestor that is written. */
  position(path?: FieldPath): Position;
  /** Position of the key at `path`, for a finding about a member that should not be there. */
  keyPosition?(path: FieldPath): Position;
  /** Canonical JSON (sorted keys, tags spelled out) of the whole document; what a digest covers. */
  canonical(): string;
}

export interface LoadedImport {
  readonly alias: string;
  readonly position: Position;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly target:
    { readonly kind: 'builtin'; readonly module: string } | { readonly kind: 'module'; readonly module: LoadedModule };
}

/** One manifest file with what it includes: an Application or a Library. */
export interface LoadedModule {
  /** file: URL of the manifest. */
  readonly source: string;
  readonly file: string;
  readonly directory: string;
  readonly kind: 'Telo.Application' | 'Telo.Library';
  /** metadata.name; the canonical prefix of its kinds. */
  readonly name: string;
  readonly root: LoadedDocument;
  /** Every other document: resources and Telo.Definition, in authored order. */
  readonly documents: readonly LoadedDocument[];
  readonly imports: ReadonlyMap<string, LoadedImport>;
  /** Every file read for it: the manifest, partials, included texts. Absolute paths. */
  readonly files: readonly string[];
}

/** What `loadManifest` answers. `module` is absent only when the root could not be read at all. */
export interface LoadResult {
  readonly module?: LoadedModule;
  readonly diagnostics: readonly Diagnostic[];
}
