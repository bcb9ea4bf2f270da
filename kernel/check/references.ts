import type { LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Reference } from '../manifest/tagged.ts';
import { suggestion } from './findings.ts';
import { exportList, extendsKind, isDefinition } from './kinds.ts';
import type { KindLookup, ResolvedKind } from './kinds.ts';

/** What a reference names: a declared resource, or the ready instance of a built-in kind (`Console.writeLine`). */
export interface ReferenceTarget {
  readonly kind: ResolvedKind;
  readonly name: string;
  /** Absent for a ready instance. */
  readonly resource?: { readonly module: LoadedModule; readonly document: LoadedDocument };
}

export type ReferenceResolution =
  | { readonly ok: true; readonly target: ReferenceTarget }
  /** `silent` when what is wrong is reported where the target is declared. */
  | { readonly ok: false; readonly message: string; readonly hint?: string | undefined; readonly silent?: true };

/** The resource that a reference written in `module` means. Pure. */
export function resolveReference(module: LoadedModule, reference: Reference, lookup: KindLookup): ReferenceResolution {
  const { name, alias } = reference;
  if (alias === undefined) return ownResource(module, name, lookup);
  const found = module.imports.get(alias);
  if (found === undefined) {
    const hint = suggestion(alias, [...module.imports.keys()]);
    return { ok: false, message: `No import is named ${alias}, so !ref ${reference.text} leads nowhere`, hint };
  }
  if (found.target.kind === 'module') return exportedResource(found.target.module, name, lookup);
  const ready = lookup(module, `${alias}.${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  const required = ready.ok ? ready.kind.view.schema['required'] : undefined;
  if (ready.ok && /^[a-z]/.test(name) && !(Array.isArray(required) && required.length > 0)) {
    return { ok: true, target: { kind: ready.kind, name } };
  }
  return { ok: false, message: `${found.target.module} has no ready resource ${name}` };
}

function ownResource(module: LoadedModule, name: string, lookup: KindLookup): ReferenceResolution {
  const resources = module.documents.filter((document) => !isDefinition(document));
  const document = resources.find((one) => one.name === name);
  if (document === undefined) {
    const hint = suggestion(
      name,
      resources.map((one) => one.name),
    );
    return { ok: false, message: `No resource is named ${name}`, hint };
  }
  const kind = lookup(module, document.kind);
  if (!kind.ok) return { ok: false, message: kind.message, silent: true };
  return { ok: true, target: { kind: kind.kind, name, resource: { module, document } } };
}

function exportedResource(module: LoadedModule, name: string, lookup: KindLookup): ReferenceResolution {
  const exported = exportList(module, 'resources');
  if (exported === undefined || exported.includes(name)) return ownResource(module, name, lookup);
  const forwarded = exported.find((entry) => entry.endsWith(`.${name}`));
  if (forwarded !== undefined) {
    const alias = forwarded.slice(0, -name.length - 1);
    const position = module.root.position();
    return resolveReference(module, new Reference(name, alias, position), lookup);
  }
  return { ok: false, message: `${module.name} exports no resource ${name}`, hint: suggestion(name, exported) };
}

/** What a slot accepts: the kinds of its `x-telo-ref`, and how it uses them. Pure. */
export interface SlotAnnotation {
  readonly kinds: readonly string[];
  readonly use: string;
}

/** The `x-telo-ref` of a schema, in its text form or its object form; undefined without one. Pure. */
export function slotOf(schema: Readonly<Record<string, unknown>>): SlotAnnotation | undefined {
  const annotation = schema['x-telo-ref'];
  if (typeof annotation === 'string') return { kinds: [annotation], use: 'dependency' };
  if (!isRecord(annotation)) return undefined;
  const kinds = [annotation['kind']].flat().filter((kind) => typeof kind === 'string');
  const use = annotation['use'];
  return { kinds, use: typeof use === 'string' ? use : 'dependency' };
}

/**
 * Whether a target fits one of `kinds`, which are written as the slot's definer sees them: `Telo.Executable`, a
 * capability, or a kind. Pure.
 */
export function fitsSlot(
  target: ResolvedKind,
  kinds: readonly string[],
  definer: ResolvedKind | undefined,
  lookup: KindLookup,
): boolean {
  if (kinds.length === 0) return true;
  const { capability } = target.view;
  return kinds.some((kind) => {
    if (kind === 'Telo.Executable') return capability === 'Telo.Invocable' || capability === 'Telo.Runnable';
    if (kind === capability || kind === 'Telo.Resource') return true;
    if (definer?.definition === undefined) return extendsKind(target, kind);
    const wanted = lookup(definer.definition.module, kind);
    return wanted.ok && extendsKind(target, wanted.kind.canonical);
  });
}
