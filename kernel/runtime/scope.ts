import type { ModuleContext } from '@telorun/sdk';
import { exportList } from '../check/kinds.ts';
import { plainObject, setOwn, stringList } from '../graph/plain.ts';
import type { LoadedModule } from '../manifest/model.ts';
import type { ResourceRecord } from './resource.ts';

export interface ScopeOptions {
  readonly name: string;
  /** file: URL of the manifest, or `telo:<module>` for a built-in one. */
  readonly source: string;
  /** Absent for a built-in module. */
  readonly module?: LoadedModule;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, unknown>>;
  readonly ports?: Readonly<Record<string, unknown>>;
  /** That of the module which an inner scope is made in. */
  readonly moduleContext?: ModuleContext;
}

/** Where resources that an `init` registers are kept until they are initialised; undefined once it is too late. */
export interface Registrar {
  registered: ResourceRecord[] | undefined;
}

/** One module as one importer sees it: its values, resources and imports. Two aliases of one library are two scopes. */
export class ModuleScope {
  readonly name: string;
  readonly source: string;
  readonly module: LoadedModule | undefined;
  /** One object for each scope of each kernel; controllers key what belongs to one application by it. */
  readonly moduleContext: ModuleContext;
  /** Takes what resources of this scope register, where that is not the boot. */
  readonly registrar: Registrar | undefined = undefined;
  /** Configuration of the instance whose resources live here, in a template and in what is inside it. */
  readonly self: Readonly<Record<string, unknown>> | undefined = undefined;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly records = new Map<string, ResourceRecord>();
  readonly imports = new Map<string, ModuleScope>();
  readonly #resources: Record<string, unknown> = {};
  /** `resources.<Alias>` of each importer of this scope. */
  readonly #views: Record<string, unknown>[] = [];

  constructor(options: ScopeOptions) {
    this.name = options.name;
    this.source = options.source;
    this.module = options.module;
    this.moduleContext = options.moduleContext ?? Object.freeze({ source: options.source });
    this.#values = Object.freeze({
      variables: options.variables ?? {},
      secrets: options.secrets ?? {},
      ports: options.ports ?? {},
      module: { ...plainObject(options.module?.root.metadata), name: options.name },
      resources: this.#resources,
    });
  }

  /** The module's own scope, whatever is inside it. */
  get base(): ModuleScope {
    return this;
  }

  /** What expressions see whatever the resource. `resources` fills as snapshots are published. */
  get values(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  /** A resource that importers may refer to: the export list is a gate when it is there. Pure. */
  exported(name: string): ResourceRecord | undefined {
    const exported = plainObject(this.module?.root.fields['exports'])['resources'];
    if (exported === undefined) return this.records.get(name);
    for (const entry of stringList(exported)) {
      const dot = entry.indexOf('.');
      if (entry === name) return this.records.get(name);
      if (dot >= 0 && entry.slice(dot + 1) === name) return this.imports.get(entry.slice(0, dot))?.exported(name);
    }
    return undefined;
  }

  /** The resource that `name`, or `alias.name`, means in this module. Pure. */
  find(name: string, alias?: string): ResourceRecord | undefined {
    if (alias === undefined || alias === 'Self') return this.records.get(name);
    return this.imports.get(alias)?.exported(name);
  }

  /** Makes a snapshot readable as `resources.<name>`, in importers as `resources.<Alias>.<name>`. Effect: on this scope. */
  publish(name: string, snapshot: unknown): void {
    setOwn(this.#resources, name, snapshot);
    if (this.exported(name) === undefined) return;
    for (const view of this.#views) setOwn(view, name, snapshot);
  }

  /** Makes `imported` known here under `alias`. Effect: on both scopes. */
  import(alias: string, imported: ModuleScope): void {
    const view = { variables: imported.values['variables'], secrets: imported.values['secrets'] };
    this.imports.set(alias, imported);
    setOwn(this.#resources, alias, view);
    imported.#views.push(view);
  }
}

/**
 * Resources that live for a time only, inside a module: they see one another, then what the module sees. Their snapshots
 * are read among themselves. Those of a template see the configuration of its instance as `self`.
 */
export class InnerScope extends ModuleScope {
  override readonly registrar: Registrar = { registered: [] };
  override readonly self: Readonly<Record<string, unknown>> | undefined;
  readonly #outer: ModuleScope;
  readonly #snapshots: Record<string, unknown> = {};

  constructor(outer: ModuleScope, self: Readonly<Record<string, unknown>> | undefined = outer.self) {
    const { name, source, module, moduleContext } = outer;
    super({ name, source, moduleContext, ...(module === undefined ? {} : { module }) });
    this.#outer = outer;
    this.self = self;
    for (const [alias, imported] of outer.imports) this.imports.set(alias, imported);
  }

  override get base(): ModuleScope {
    return this.#outer.base;
  }

  override get values(): Readonly<Record<string, unknown>> {
    const { values } = this.#outer;
    const own = this.self === undefined ? {} : { self: this.self };
    return { ...values, ...own, resources: { ...plainObject(values['resources']), ...this.#snapshots } };
  }

  override find(name: string, alias?: string): ResourceRecord | undefined {
    const own = alias === undefined || alias === 'Self' ? this.records.get(name) : undefined;
    return own ?? this.#outer.find(name, alias);
  }

  override publish(name: string, snapshot: unknown): void {
    setOwn(this.#snapshots, name, snapshot);
  }
}

/** The scope that a kind authored in `scope` is defined in: what a template of it refers to is found there. Pure. */
export function scopeOfKind(scope: ModuleScope, authored: string): ModuleScope {
  const dot = authored.indexOf('.');
  const name = authored.slice(dot + 1);
  const imported = scope.imports.get(authored.slice(0, dot));
  if (imported?.module === undefined) return scope.base;
  const exported = exportList(imported.module, 'kinds') ?? [];
  const forwarded = exported.includes(name) ? undefined : exported.find((entry) => entry.endsWith(`.${name}`));
  return forwarded === undefined ? imported : scopeOfKind(imported, forwarded);
}
