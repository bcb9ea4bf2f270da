import type { ResourceInstance } from '@telorun/sdk';
import { kindLookup, moduleNames } from '../check/kinds.ts';
import type { KernelListener } from '../events.ts';
import { builtinKinds } from '../kinds/builtin.ts';
import type { Diagnostic, LoadedModule } from '../manifest/model.ts';
import { loadManifest } from '../manifest/load.ts';
import { KernelCore } from './core.ts';
import { Definitions } from './definitions.ts';
import { initialize } from './initialize.ts';
import type { LogLevel } from './log.ts';
import { ManifestError } from './manifest-error.ts';
import { openScope, openTemplate } from './resource-scope.ts';
import { buildScopes, declaredRecords } from './scopes.ts';
import type { ModuleScope } from './scope.ts';
import { splitName, Targets } from './targets.ts';
import { teardown } from './teardown.ts';

export interface KernelOptions {
  /** Path of the application's manifest, or of the folder of its `telo.yaml`. */
  readonly manifest: string;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Values of declared variables as text; they win over the environment. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly args?: { readonly _: readonly string[]; readonly [name: string]: unknown };
  readonly stdin?: NodeJS.ReadableStream;
  readonly stdout?: NodeJS.WritableStream;
  readonly stderr?: NodeJS.WritableStream;
  readonly onEvent?: KernelListener;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** From which level on log lines go to `stderr`. Default: warn. */
  readonly logLevel?: LogLevel;
  /** Which resources of the application come to life, with what they need; default all, and the targets. */
  readonly only?: (resource: { readonly kind: string; readonly name: string }) => boolean;
}

export interface NamedInstance {
  /** `<Alias>.<name>` for a resource that an import exports. */
  readonly name: string;
  readonly instance: ResourceInstance;
}

/** One application: loaded, checked, its resources live. */
export interface Kernel {
  readonly module: LoadedModule;
  /** The highest code that was requested; 0 when none was. */
  readonly exitCode: number;
  /** Runs the targets, one after another. Rejects with the first failure. */
  boot(): Promise<void>;
  /** Resolves once every hold is released and detached work has settled. */
  idle(): Promise<void>;
  /** Invokes a resource by `name` or `Alias.name`. @throws InvokeError ERR_RESOURCE_NOT_FOUND */
  invoke(name: string, inputs?: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  /** Live resources of the application of a kind (canonical), or of one that extends it, in declared order. */
  instancesOfKind(canonicalKind: string): readonly NamedInstance[];
  /** The live resource of that name. @throws InvokeError ERR_RESOURCE_NOT_FOUND */
  instance(name: string): ResourceInstance;
  /** Tells everything that runs to stop; runs stay resumable. */
  cancel(reason: string): void;
  /** Drains detached work, then tears down in reverse order. Rejects with the first failure, the first time. */
  close(): Promise<void>;
}

/**
 * Loads, checks and initialises an application. Effect: reads manifests, runs controllers; targets wait for `boot`.
 *
 * @throws InvokeError ERR_MANIFEST_VALIDATION_FAILED (a `ManifestError` with every diagnostic), ERR_CONTROLLER_NOT_FOUND,
 *   ERR_CONTROLLER_INVALID, ERR_CIRCULAR_DEPENDENCY, ERR_RESOURCE_INITIALIZATION_FAILED
 * @see kernel-specs/runtime.md RT-01
 */
export async function openKernel(options: KernelOptions): Promise<Kernel> {
  const { module, diagnostics } = await loadManifest(options.manifest, { builtins: moduleNames(builtinKinds) });
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  if (module === undefined || failed) throw new ManifestError(options.manifest, diagnostics);
  if (module.kind === 'Telo.Library') throw new ManifestError(options.manifest, [libraryRefused(module)]);
  const { checkModule } = await import('../check/check-module.ts');
  const findings = checkModule(module, kindLookup(builtinKinds));
  if (findings.some(({ severity }) => severity === 'error'))
    throw new ManifestError(options.manifest, [...diagnostics, ...findings]);
  const core = new KernelCore({
    module,
    definitions: new Definitions(builtinKinds),
    emit: options.onEvent ?? (() => undefined),
    world: {
      env: Object.freeze({ ...(options.env ?? process.env) }),
      args: options.args ?? { _: [] },
      stdin: options.stdin ?? process.stdin,
      stdout: options.stdout ?? process.stdout,
      stderr: options.stderr ?? process.stderr,
      now: options.now ?? Date.now,
      logLevel: options.logLevel ?? 'warn',
    },
  });
  core.openScope = (owner, slot) => openScope(core, owner, slot);
  core.openTemplate = (owner) => openTemplate(core, owner);
  const scope = buildScopes(core, { env: core.world.env, overrides: options.variables ?? {} });
  try {
    const targets = new Targets(core, scope);
    const { only } = options;
    const records =
      only === undefined ? [...declaredRecords(core), ...targets.records] : declaredRecords(core).filter(only);
    await initialize(core, records);
    core.registered = undefined;
    return new OpenKernel(core, scope, targets);
  } catch (error) {
    await teardown(core);
    throw error;
  }
}

function libraryRefused(module: LoadedModule): Diagnostic {
  return {
    severity: 'error',
    code: 'LIBRARY_NOT_BOOTABLE',
    message: `${module.name} is a library: only a Telo.Application can be opened`,
    position: module.root.position(['kind']),
    hint: 'Open an application that imports it.',
  };
}

class OpenKernel implements Kernel {
  readonly module: LoadedModule;
  readonly #core: KernelCore;
  readonly #scope: ModuleScope;
  readonly #targets: Targets;
  #closing: Promise<readonly unknown[]> | undefined;

  constructor(core: KernelCore, scope: ModuleScope, targets: Targets) {
    this.module = core.module;
    this.#core = core;
    this.#scope = scope;
    this.#targets = targets;
  }

  get exitCode(): number {
    return this.#core.exitCode;
  }

  boot(): Promise<void> {
    return this.#targets.run();
  }

  idle(): Promise<void> {
    return this.#core.holds.idle();
  }

  async invoke(name: string, inputs: unknown = {}, options: { readonly signal?: AbortSignal } = {}): Promise<unknown> {
    const { record, instance } = this.#live(name);
    const source = this.#core.linkedSource();
    const { signal } = options;
    const stop = (): void => source.cancel(typeof signal?.reason === 'string' ? signal.reason : 'cancelled');
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await this.#core.dispatcher.invoke(record, instance, inputs, this.#core.rootContext(source.token));
    } finally {
      signal?.removeEventListener('abort', stop);
      source.dispose();
    }
  }

  instancesOfKind(canonicalKind: string): readonly NamedInstance[] {
    const found: NamedInstance[] = [];
    for (const [alias, scope] of [[undefined, this.#scope] as const, ...this.#scope.imports]) {
      for (const { name, instance, definition } of scope.records.values()) {
        if (instance === undefined || !this.#core.definitions.isKind(definition, canonicalKind)) continue;
        if (alias === undefined) found.push({ name, instance });
        else if (scope.exported(name)?.instance === instance) found.push({ name: `${alias}.${name}`, instance });
      }
    }
    return found;
  }

  instance(name: string): ResourceInstance {
    return this.#live(name).instance;
  }

  cancel(reason: string): void {
    this.#core.root.cancel(reason);
  }

  async close(): Promise<void> {
    if (this.#closing !== undefined) {
      await this.#closing;
      return;
    }
    this.#closing = teardown(this.#core);
    const [failure] = await this.#closing;
    if (failure !== undefined) throw failure;
  }

  #live(name: string): ReturnType<KernelCore['live']> {
    const [last, alias] = splitName(name);
    const record = this.#scope.find(name) ?? this.#scope.find(last, alias);
    return this.#core.live(record, name);
  }
}
