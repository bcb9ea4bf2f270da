import type { CancellationToken } from './cancellation.ts';
import type { InvokeContext } from './invoke-context.ts';
import type { OpenZone, ZoneEntry } from './zone.ts';

/** A resource as declared: its kind in canonical spelling, its metadata, and its fields as top-level siblings. */
export interface ResourceManifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly module?: string; readonly [key: string]: unknown };
  readonly [field: string]: unknown;
}

/** A reference that is not live (yet). */
export interface KindRef {
  readonly kind: string;
  readonly name: string;
  readonly alias?: string;
}

export interface RefIdentity {
  readonly kind: string;
  readonly name: string;
  readonly origin?: { readonly module: string; readonly pointer?: string };
}

/** What `create` answers. Every member is optional; having `invoke`, `run`, ... is what makes a capability. */
export interface ResourceInstance {
  init?(ctx: ResourceContext): unknown;
  invoke?(inputs: unknown, ctx?: InvokeContext): Promise<unknown>;
  run?(ctx?: InvokeContext): Promise<unknown>;
  provide?(): unknown;
  snapshot?(): unknown;
  teardown?(): unknown;
  readonly teardownPriority?: number;
}

export interface Invocable {
  invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown>;
}

export interface ControllerModule {
  register?(ctx: ControllerContext): unknown;
  create(resource: ResourceManifest, ctx: ResourceContext): ResourceInstance | null | Promise<ResourceInstance | null>;
}

export interface CancellationSource {
  readonly token: CancellationToken;
  readonly context: InvokeContext;
  cancel(reason?: string): void;
  cancelAt(epochMs: number): void;
  cancelAfter(ms: number): void;
  dispose(): void;
}

export interface Validator {
  validate(value: unknown): void;
}

export interface Logger {
  trace(message: string, attributes?: Record<string, unknown>): void;
  debug(message: string, attributes?: Record<string, unknown>): void;
  info(message: string, attributes?: Record<string, unknown>): void;
  warn(message: string, attributes?: Record<string, unknown>): void;
  error(message: string, attributes?: Record<string, unknown>, options?: { error?: unknown }): void;
}

/** What the module scope of a resource answers; the key under which a controller keeps what belongs to one application. */
export interface ModuleContext {
  /** URL of the manifest that declares the resource. */
  readonly source: string;
}

export interface ControllerContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args: { readonly _: readonly string[]; readonly [name: string]: unknown };
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly log: Logger;
  on(event: string, listener: (payload: unknown) => void): () => void;
  emit(event: string, payload?: unknown): void;
  acquireHold(reason: string): () => void;
  requestExit(code: number): void;
}

/**
 * What the kernel gives each resource. The members that our controllers and the step engine use; a Telo kernel has
 * more.
 */
export interface ResourceContext extends ControllerContext {
  /** Identity of this resource. Throws ERR_RESOURCE_IDENTITY_UNBOUND in `create`. */
  readonly self: { readonly ref: KindRef };
  readonly moduleContext: ModuleContext;
  /** Evaluates every compiled expression in `value`, synchronously, over the module scope and `scope`. Fresh containers. */
  expandValue(value: unknown, scope?: Readonly<Record<string, unknown>>): unknown;
  /** Dispatches by name through the chokepoint: contracts, zones, events, cancellation. */
  invoke(kind: string, name: string, inputs: unknown, options?: { ctx?: InvokeContext }): Promise<unknown>;
  /** Dispatches a live instance through the chokepoint. Without `ctx` the ambient context is inherited. */
  invokeResolved(
    kind: string,
    name: string,
    instance: ResourceInstance,
    inputs: unknown,
    ctx?: InvokeContext,
  ): Promise<unknown>;
  /** Runs a Runnable or Service by name. */
  run(name: string): Promise<void>;
  /** Answers the live instance of a reference or instance. @throws ERR_REF_REQUIRED, ERR_REF_UNRESOLVED */
  resolveRef<T extends ResourceInstance>(
    value: unknown,
    guard: (instance: ResourceInstance) => instance is T,
    describe: string,
    expects?: string,
  ): T;
  /** Registers an inline `{kind, ...config}` under `name` (in `init` only) and answers its reference. */
  ensureKindRef(value: unknown, name?: string): KindRef;
  /** Opens the zone that this kind declares on `slot` for the time of `work`. */
  withZone<T>(
    slot: string,
    work: (ctx: InvokeContext, entry: ZoneEntry) => Promise<T>,
    base?: InvokeContext,
  ): Promise<T>;
  /** Open zones with their attributes, innermost first. */
  zoneAttributes?(ctx?: InvokeContext): readonly OpenZone[];
  /** A fresh context: no parent, no zones, no run. */
  rootContext(overrides?: { cancellation?: CancellationToken }): InvokeContext;
  /** Starts work that outlives the call; drained at shutdown, its failure is logged. */
  runDetached(work: () => Promise<unknown>): void;
  createCancellationSource(): CancellationSource;
  createSchemaValidator(schema: unknown): Validator;
  createTypeValidator(type: unknown): Validator;
  /** URL of a file below the folder of the module that declares the resource. */
  resolveModuleFile(relative: string): Promise<string>;
  getEntryUrl(): string;
  /**
   * Files and folders that nothing evaluated on behalf of a fragment may touch: loaded manifests, controllers, journals,
   * as absolute paths. Not part of SDK 0.80: absent in a Telo kernel.
   */
  protectedPaths?(): readonly string[];
}
