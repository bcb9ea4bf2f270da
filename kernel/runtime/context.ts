import { isAbsolute, relative as relativePath, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createHash } from 'node:crypto';
import { deriveContext, InvokeError } from '@telorun/sdk';
import type {
  CancellationSource,
  CancellationToken,
  InvokeContext,
  KindRef,
  ModuleContext,
  OpenZone,
  ResourceContext,
  ResourceInstance,
  Validator,
  ZoneEntry,
} from '@telorun/sdk';
import type { RunProgram } from '@telorun/sdk/journal';
import { Redaction } from '../durable/redaction.ts';
import type { KernelResourceContext, KernelServices, ResourceScope, TemplateScope } from '../kinds/kind.ts';
import { plainObject } from '../graph/plain.ts';
import { ApplicationContext } from './application-context.ts';
import type { KernelCore } from './core.ts';
import { expand } from './expand.ts';
import { ensureKindRef, resolveRef } from './references.ts';
import { kindsReached } from './reached.ts';
import type { ResourceRecord } from './resource.ts';
import { assertSchema } from './schemas.ts';
import { schemaOfType } from './types.ts';
import { openZone, zoneAttributes } from './zones.ts';

/** What one resource sees of its kernel. @see kernel-specs/runtime.md RT-20 */
export class KernelContext extends ApplicationContext implements ResourceContext {
  readonly moduleContext: ModuleContext;
  protected readonly record: ResourceRecord;

  constructor(core: KernelCore, record: ResourceRecord) {
    super(core, record.name, record.scope.name);
    this.record = record;
    this.moduleContext = record.scope.moduleContext;
  }

  get self(): { readonly ref: KindRef } {
    const { kind, name, state } = this.record;
    if (state === 'created' || state === 'ready') return { ref: { kind, name } };
    throw new InvokeError(
      'ERR_RESOURCE_IDENTITY_UNBOUND',
      `Cannot read the identity of ${kind} "${name}": it is not created yet`,
      {
        kind,
        name,
        hint: 'Read ctx.self in init or later.',
      },
    );
  }

  expandValue(value: unknown, scope?: Readonly<Record<string, unknown>>): unknown {
    const { values } = this.record.scope;
    return expand(value, () => (scope === undefined ? values : { ...values, ...scope }));
  }

  /** Tells the listeners of the application; `Progress` also whoever watches the kernel. */
  override emit(event: string, payload?: unknown): void {
    super.emit(event, payload);
    const { kind, name } = this.record;
    if (event === 'Progress') this.core.emit({ type: 'resource.progress', resource: `${kind}/${name}`, payload });
  }

  async invoke(_kind: string, name: string, inputs: unknown, options: { ctx?: InvokeContext } = {}): Promise<unknown> {
    const { record, instance } = this.core.live(this.#named(name), name);
    const result = await this.core.dispatcher.invoke(record, instance, inputs, options.ctx);
    await this.core.publish(record);
    return result;
  }

  invokeResolved(
    kind: string,
    name: string,
    instance: ResourceInstance,
    inputs: unknown,
    ctx?: InvokeContext,
  ): Promise<unknown> {
    return this.core.dispatcher.invoke({ kind, name }, instance, inputs, ctx);
  }

  async run(name: string): Promise<void> {
    const { record, instance } = this.core.live(this.#named(name), name);
    await this.core.dispatcher.run(record, instance, { service: record.definition.capability === 'Telo.Service' });
  }

  resolveRef<T extends ResourceInstance>(
    value: unknown,
    guard: (instance: ResourceInstance) => instance is T,
    describe: string,
    expects?: string,
  ): T {
    return resolveRef(this.record.scope, value, { guard, describe, ...(expects === undefined ? {} : { expects }) });
  }

  ensureKindRef(value: unknown, name?: string): KindRef {
    return ensureKindRef(this.core, this.record, value, name);
  }

  async withZone<T>(
    slot: string,
    work: (ctx: InvokeContext, entry: ZoneEntry) => Promise<T>,
    base?: InvokeContext,
  ): Promise<T> {
    const { kind, name, definition, manifest } = this.record;
    const { instance: provider } = this.core.live(this.record, name);
    const entry = openZone({ kind, schema: definition.schema, slot, provider, manifest });
    const outer = base ?? this.core.ambient.current();
    const inner = deriveContext(outer, { zones: [...(outer.zones ?? []), entry] });
    return this.core.ambient.run(inner, () => work(inner, entry));
  }

  zoneAttributes(ctx?: InvokeContext): readonly OpenZone[] {
    return zoneAttributes(ctx ?? this.core.ambient.current());
  }

  rootContext(overrides?: { cancellation?: CancellationToken }): InvokeContext {
    return this.core.rootContext(overrides?.cancellation);
  }

  runDetached(work: () => Promise<unknown>): void {
    const context = this.core.rootContext();
    this.core.holds.detach(() => this.core.ambient.run(context, work), this.log);
  }

  createCancellationSource(): CancellationSource {
    return this.core.linkedSource();
  }

  createSchemaValidator(schema: unknown): Validator {
    const resolved = schemaOfType(schema, this.record.scope) ?? {};
    return { validate: (value) => assertSchema(resolved, value) };
  }

  createTypeValidator(type: unknown): Validator {
    return this.createSchemaValidator(type);
  }

  async resolveModuleFile(relative: string): Promise<string> {
    const directory = this.record.scope.module?.directory ?? fileURLToPath(new URL('.', this.core.module.source));
    const file = resolve(directory, relative);
    const below = relativePath(directory, file);
    if (!below.startsWith('..') && !isAbsolute(below)) return pathToFileURL(file).href;
    throw new InvokeError(
      'ERR_MODULE_FILE_OUTSIDE',
      `Cannot resolve "${relative}": it is outside the folder of module "${this.record.scope.name}"`,
      {
        relative,
        hint: 'Name a file below the folder of the manifest.',
      },
    );
  }

  getEntryUrl(): string {
    return this.core.module.source;
  }

  protectedPaths(): readonly string[] {
    return this.core.protectedPaths();
  }

  #named(name: string): ResourceRecord | undefined {
    const { scope } = this.record;
    const dot = name.indexOf('.');
    return scope.find(name) ?? (dot < 0 ? undefined : scope.find(name.slice(dot + 1), name.slice(0, dot)));
  }
}

/** What a built-in kind sees on top. Never given to a controller from a manifest. */
class BuiltinContext extends KernelContext implements KernelResourceContext {
  readonly kernel: KernelServices;

  constructor(core: KernelCore, record: ResourceRecord) {
    super(core, record);
    this.kernel = {
      emit: core.emit,
      program: (resource) => programOf(core, record, resource),
      reached: (resource) => kindsReached(core, recordOf(core, record, resource)),
      now: core.world.now,
      schemaOf: (type) => schemaOfType(type, record.scope),
      openScope: (slot) => scopeOf(core, record, slot),
      openTemplate: () => templateOf(core, record),
      get redaction() {
        return redactionOf(core);
      },
    };
  }
}

function scopeOf(core: KernelCore, record: ResourceRecord, slot: string): Promise<ResourceScope> {
  if (core.openScope === undefined) throw new TypeError('This kernel opens no scopes');
  return core.openScope(record, slot);
}

function templateOf(core: KernelCore, record: ResourceRecord): Promise<TemplateScope> {
  if (core.openTemplate === undefined) throw new TypeError('This kernel opens no templates');
  return core.openTemplate(record);
}

const redactions = new WeakMap<KernelCore, Redaction>();

/** One for each kernel, over the secrets of every module; asked for once all modules are bound. */
function redactionOf(core: KernelCore): Redaction {
  const known =
    redactions.get(core) ??
    new Redaction(core.scopes.flatMap(({ values }) => Object.values(plainObject(values['secrets']))));
  redactions.set(core, known);
  return known;
}

/** Where a resource's program is found again. A resource of a library is named `<Alias>.<name>` where it is exported. */
function programOf(core: KernelCore, asking: ResourceRecord, resource: string): RunProgram {
  const { document, scope, name } = recordOf(core, asking, resource);
  const canonical = document?.canonical() ?? '';
  return {
    manifest: core.module.file,
    workflow: scope.module === core.module ? name : `${aliasOf(core, scope) ?? scope.name}.${name}`,
    digest: `sha256:${createHash('sha256').update(canonical).digest('hex')}`,
  };
}

function recordOf(core: KernelCore, asking: ResourceRecord, resource: string): ResourceRecord {
  const record = asking.name === resource ? asking : asking.scope.records.get(resource);
  return core.live(record, resource).record;
}

function aliasOf(core: KernelCore, scope: ResourceRecord['scope']): string | undefined {
  const entry = core.scopeOf(core.module)?.imports.entries() ?? [];
  return [...entry].find(([, imported]) => imported === scope)?.[0];
}

/** The context of a resource: what built-in kinds get beyond Telo's stays with them. Pure. */
export function contextFor(core: KernelCore, record: ResourceRecord): ResourceContext {
  const { definition } = record;
  return core.definitions.isBuiltin(definition) || definition.template !== undefined
    ? new BuiltinContext(core, record)
    : new KernelContext(core, record);
}
