import { InvokeError } from '@telorun/sdk';
import type { ControllerContext, ControllerModule } from '@telorun/sdk';
import { resolveKind } from '../check/kinds.ts';
import type { BuiltinKinds, ManifestKind, ResolvedKind } from '../check/kinds.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import type { LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { readTemplate, templateController } from '../kinds/template.ts';
import { controllerPlace, loadController } from './controller-loader.ts';

/** Canonical name of a kind. Pure. */
export function canonicalKind(definition: KindDefinition): string {
  return `${definition.module}.${definition.name}`;
}

/** The kinds of one kernel: built in, or defined by a loaded manifest; one definition each, whatever the alias. */
export class Definitions {
  readonly builtins: BuiltinKinds;
  /** Absolute paths of the bundles loaded so far. */
  readonly files = new Set<string>();
  readonly #defined = new Map<LoadedDocument, KindDefinition>();
  readonly #sources = new Map<KindDefinition, ManifestKind>();
  readonly #controllers = new Map<KindDefinition, Promise<ControllerModule>>();

  constructor(builtins: BuiltinKinds) {
    this.builtins = builtins;
  }

  /**
   * The kind that `authored` means in `module`. Pure.
   *
   * @throws InvokeError with the code of the checker, such as UNRESOLVED_KIND
   */
  resolve(module: LoadedModule, authored: string): KindDefinition {
    const found = resolveKind(module, authored, this.builtins);
    if (!found.ok)
      throw new InvokeError(found.code, found.message, {
        kind: authored,
        ...(found.hint === undefined ? {} : { hint: found.hint }),
      });
    return found.kind.builtin ?? this.#define(found.kind);
  }

  /** The same, undefined where `authored` means no kind. Pure. */
  find(module: LoadedModule, authored: string): KindDefinition | undefined {
    return resolveKind(module, authored, this.builtins).ok ? this.resolve(module, authored) : undefined;
  }

  /** Whether the kernel itself brings the kind, so that its instances get what no other controller gets. Pure. */
  isBuiltin(definition: KindDefinition): boolean {
    return this.builtins.get(canonicalKind(definition)) === definition;
  }

  /** The manifest that defines a kind; absent for one built in. Pure. */
  sourceOf(definition: KindDefinition): ManifestKind | undefined {
    return this.#sources.get(definition);
  }

  /** Whether instances of `definition` count as `wanted` (canonical): the kind itself, or one it extends. Pure. */
  isKind(definition: KindDefinition, wanted: string): boolean {
    const seen = new Set<string>();
    const pending = [definition];
    for (let kind = pending.pop(); kind !== undefined; kind = pending.pop()) {
      const canonical = canonicalKind(kind);
      if (canonical === wanted || kind.extends?.includes(wanted) === true) return true;
      if (seen.has(canonical)) continue;
      seen.add(canonical);
      for (const base of kind.extends ?? []) pending.push(...this.#known(base));
    }
    return false;
  }

  /**
   * Loads the controller of a kind and registers it, once for each kernel. Effect: imports a bundle.
   *
   * @throws InvokeError ERR_CONTROLLER_NOT_FOUND, ERR_CONTROLLER_INVALID, ERR_CONTROLLER_SDK_MISMATCH
   */
  controller(definition: KindDefinition, context: () => ControllerContext): Promise<ControllerModule> {
    const known = this.#controllers.get(definition);
    if (known !== undefined) return known;
    const loading = definition.controller().then(async (loaded) => {
      await loaded.register?.(context());
      return loaded;
    });
    this.#controllers.set(definition, loading);
    return loading;
  }

  #known(canonical: string): readonly KindDefinition[] {
    const builtin = this.builtins.get(canonical);
    if (builtin !== undefined) return [builtin];
    return [...this.#sources.keys()].filter((kind) => canonicalKind(kind) === canonical);
  }

  #define({ view, definition, canonical }: ResolvedKind): KindDefinition {
    if (definition === undefined) throw new TypeError(`Kind ${canonical} is neither built in nor defined`);
    const known = this.#defined.get(definition.document);
    if (known !== undefined) return known;
    const { fields } = definition.document;
    const source = { kind: canonical, controllers: definition.controllers, directory: definition.module.directory };
    const template = readTemplate(fields);
    const made: KindDefinition = {
      ...view,
      ...(template === undefined ? {} : { template }),
      // Types as authored: a reference in them is resolved in the scope that defines the kind.
      ...(fields['inputType'] === undefined ? {} : { inputType: fields['inputType'] }),
      ...(fields['outputType'] === undefined ? {} : { outputType: fields['outputType'] }),
      controller: () => {
        if (template !== undefined) return Promise.resolve(templateController(template));
        this.files.add(controllerPlace(source).file);
        return loadController(source);
      },
    };
    this.#defined.set(definition.document, made);
    this.#sources.set(made, definition);
    return made;
  }
}
