import { nearOf } from './findings.ts';
import { builtInText, kebab } from '../manifest/import-source.ts';
import type { LoadedDocument, LoadedImport, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { definitionView, parentNames } from './definition-view.ts';

/** Longer chains of `extends` and re-exports lead in a circle. */
const MAX_EXTENDS = 20;

/** The kinds built in, by canonical name: `Run.Sequence`. */
export type BuiltinKinds = ReadonlyMap<string, KindDefinition>;

/** What is known of a kind without loading its controller. */
export type KindView = Omit<KindDefinition, 'controller'>;

/** Where a kind that a manifest defines comes from. */
export interface ManifestKind {
  readonly module: LoadedModule;
  readonly document: LoadedDocument;
  /** The PURLs of its `controllers`, in authored order. */
  readonly controllers: readonly string[];
}

/** A kind as one module sees it. Exactly one of `builtin` and `definition` is there. */
export interface ResolvedKind {
  /** `<module metadata.name>.<Kind>`. */
  readonly canonical: string;
  readonly view: KindView;
  /** Canonical names of every kind it extends, at any distance. */
  readonly ancestors: ReadonlySet<string>;
  readonly builtin?: KindDefinition;
  readonly definition?: ManifestKind;
}

export type KindResolution =
  | { readonly ok: true; readonly kind: ResolvedKind }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly hint?: string;
      /** What it follows from is reported already. */
      readonly silent?: true;
    };

/** Answers the kind that a name authored in `module` means. */
export type KindLookup = (module: LoadedModule, authored: string) => KindResolution;

/** A lookup over one table of built-in kinds. Pure. */
export function kindLookup(builtins: BuiltinKinds): KindLookup {
  return (module, authored) => resolveKind(module, authored, builtins);
}

/**
 * Resolves `Alias.Kind` as written in `module`: `Self.Kind`, an import, or `Telo.Kind`. Pure.
 * @see kernel-specs/manifest.md 6
 */
export function resolveKind(module: LoadedModule, authored: string, builtins: BuiltinKinds, depth = 0): KindResolution {
  const dot = authored.indexOf('.');
  const alias = authored.slice(0, Math.max(dot, 0));
  const name = authored.slice(dot + 1);
  if (dot < 1 || !/^[A-Za-z_]\w*$/.test(name)) {
    return refuse('UNRESOLVED_KIND', `'${authored}' is no kind: a kind is written Alias.Kind`);
  }
  if (alias === 'Self') return ownKind(module, name, builtins, depth);
  const found = module.imports.get(alias);
  if (found !== undefined) return importedKind(found, name, builtins, depth);
  if (alias === 'Telo') return builtinKind('Telo', name, builtins);
  const { imports } = module.root.fields;
  if (isRecord(imports) && Object.hasOwn(imports, alias)) {
    return { ...refuse('UNRESOLVED_KIND', `The import ${alias} could not be loaded`), silent: true };
  }
  const modules = moduleNames(builtins);
  return refuse(
    'UNRESOLVED_KIND',
    `No import is named ${alias}, so the kind ${authored} is unknown`,
    modules.has(alias)
      ? `Add the import ${alias}: oci://ghcr.io/telorun/${kebab(alias)} to the module's imports.`
      : (nearOf(alias, [...module.imports.keys()]) ?? `Import the library that defines it; ${builtInText(modules)}.`),
  );
}

/** Names of the modules that `builtins` has kinds of, `Telo` left out: what `loadManifest` wants. Pure. */
export function moduleNames(builtins: BuiltinKinds): ReadonlySet<string> {
  return new Set([...builtins.values()].map((kind) => kind.module).filter((module) => module !== 'Telo'));
}

/** Whether `kind` is `wanted` or extends it, at any distance. `wanted` is canonical. Pure. */
export function extendsKind(kind: ResolvedKind, wanted: string): boolean {
  return kind.canonical === wanted || kind.ancestors.has(wanted);
}

function importedKind(found: LoadedImport, name: string, builtins: BuiltinKinds, depth: number): KindResolution {
  if (found.target.kind === 'builtin') return builtinKind(found.target.module, name, builtins);
  const { module } = found.target;
  const exported = exportList(module, 'kinds');
  if (exported === undefined) return ownKind(module, name, builtins, depth);
  if (exported.includes(name)) return ownKind(module, name, builtins, depth);
  const forwarded = exported.find((entry) => entry.endsWith(`.${name}`));
  if (forwarded !== undefined && depth <= MAX_EXTENDS) return resolveKind(module, forwarded, builtins, depth + 1);
  if (!ownKind(module, name, builtins, depth).ok) {
    return refuse('UNRESOLVED_KIND', `${module.name} has no kind ${name}`, exportsHint(exported));
  }
  return refuse('KIND_NOT_EXPORTED', `${module.name} does not export its kind ${name}`, exportsHint(exported));
}

function builtinKind(module: string, name: string, builtins: BuiltinKinds): KindResolution {
  const canonical = `${module}.${name}`;
  const builtin = builtins.get(canonical);
  if (builtin !== undefined) {
    return { ok: true, kind: { canonical, view: builtin, ancestors: builtinAncestors(builtin, builtins), builtin } };
  }
  const kinds = [...builtins.values()].filter((kind) => kind.module === module).map((kind) => kind.name);
  const hint = kinds.length === 0 ? undefined : `Use one of the kinds built in: ${kinds.toSorted().join(', ')}.`;
  return refuse('UNRESOLVED_KIND', `The kind ${canonical} is not built in`, hint);
}

function ownKind(module: LoadedModule, name: string, builtins: BuiltinKinds, depth = 0): KindResolution {
  const document = module.documents.find((one) => isDefinition(one) && one.name === name);
  if (document === undefined) return refuse('UNRESOLVED_KIND', `${module.name} has no kind ${name}`);
  const parents = parentNames(document).flatMap((parent) => {
    const found = depth > MAX_EXTENDS ? undefined : resolveKind(module, parent, builtins, depth + 1);
    return found?.ok === true ? [found.kind] : [];
  });
  const ancestors = new Set(parents.flatMap((parent) => [parent.canonical, ...parent.ancestors]));
  const { controllers } = document.fields;
  const definition: ManifestKind = {
    module,
    document,
    controllers: Array.isArray(controllers) ? controllers.filter((one) => typeof one === 'string') : [],
  };
  const canonical = `${module.name}.${name}`;
  return { ok: true, kind: { canonical, view: definitionView(module, document, parents), ancestors, definition } };
}

function builtinAncestors(kind: KindDefinition, builtins: BuiltinKinds): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...(kind.extends ?? [])];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(builtins.get(name)?.extends ?? []));
  }
  return found;
}

/** Whether a document defines a kind. Pure. */
export function isDefinition(document: LoadedDocument): boolean {
  return document.kind === 'Telo.Definition' || document.kind === 'Telo.Abstract';
}

/** What `exports.<what>` of a library lists; undefined when it has no such list. Pure. */
export function exportList(module: LoadedModule, what: 'kinds' | 'resources'): readonly string[] | undefined {
  const { exports } = module.root.fields;
  const list = isRecord(exports) ? exports[what] : undefined;
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : undefined;
}

function exportsHint(exported: readonly string[]): string {
  return exported.length === 0 ? 'It exports no kinds.' : `Use one of the kinds it exports: ${exported.join(', ')}.`;
}

function refuse(code: string, message: string, hint?: string): Extract<KindResolution, { ok: false }> {
  return { ok: false, code, message, ...(hint === undefined ? {} : { hint }) };
}
