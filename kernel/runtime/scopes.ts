import type { LoadedImport, LoadedModule } from '../manifest/model.ts';
import { bindVariables } from '../manifest/bind-variables.ts';
import type { BindingSources } from '../manifest/bind-variables.ts';
import { isDefinition } from '../check/kinds.ts';
import { readyName } from '../kinds/builtin.ts';
import type { KernelCore } from './core.ts';
import { declare, kindIn, settleReferences } from './declare.ts';
import { expand } from './expand.ts';
import type { ResourceRecord } from './resource.ts';
import { ModuleScope } from './scope.ts';
import { plainObject } from '../graph/plain.ts';

/**
 * Makes the scopes of an application and of everything it imports, with their resources declared and every reference
 * resolved. Effect: fills `core`. Answers the application's own scope.
 *
 * @throws InvokeError ERR_MANIFEST_VALIDATION_FAILED, ERR_REF_UNRESOLVED, ERR_DUPLICATE_RESOURCE
 */
export function buildScopes(core: KernelCore, sources: BindingSources): ModuleScope {
  const builder = new ScopeBuilder(core);
  const root = builder.build(core.module, sources);
  for (const record of core.records.slice()) settleReferences(core, record);
  return root;
}

class ScopeBuilder {
  readonly #core: KernelCore;
  readonly #builtin = new Map<string, ModuleScope>();

  constructor(core: KernelCore) {
    this.#core = core;
  }

  build(module: LoadedModule, sources: BindingSources): ModuleScope {
    const scope = new ModuleScope({
      name: module.name,
      source: module.source,
      module,
      ...bindVariables(module, sources),
    });
    this.#core.scopes.push(scope);
    for (const imported of module.imports.values()) scope.import(imported.alias, this.#imported(imported, scope));
    for (const document of module.documents) {
      if (isDefinition(document)) continue;
      const { name, fields, metadata } = document;
      const definition = kindIn(this.#core, scope, document.kind);
      declare(this.#core, scope, { name, definition, authored: document.kind, fields, metadata, document });
    }
    return scope;
  }

  /** What the importer states is evaluated once, in its own scope. */
  #imported({ target, variables, secrets }: LoadedImport, importer: ModuleScope): ModuleScope {
    if (target.kind === 'builtin') return this.#builtinScope(target.module);
    const evaluate = (values: unknown) => plainObject(expand(values, () => importer.values));
    return this.build(target.module, { imported: { variables: evaluate(variables), secrets: evaluate(secrets) } });
  }

  #builtinScope(module: string): ModuleScope {
    const known = this.#builtin.get(module);
    if (known !== undefined) return known;
    const scope = new ModuleScope({ name: module, source: `telo:${module}` });
    this.#builtin.set(module, scope);
    this.#core.scopes.push(scope);
    for (const definition of this.#core.definitions.builtins.values()) {
      const name = definition.module === module ? readyName(definition) : undefined;
      if (name !== undefined) declare(this.#core, scope, { name, definition, fields: {} });
    }
    return scope;
  }
}

/** Every resource that a manifest declares, as against the ready instances of built-in modules. Pure. */
export function declaredRecords(core: KernelCore): readonly ResourceRecord[] {
  return core.records.filter(({ scope }) => scope.module !== undefined);
}
