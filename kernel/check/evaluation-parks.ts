import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { isDefinition } from './kinds.ts';
import type { KindLookup, ResolvedKind } from './kinds.ts';

/** Says of itself that it may park; whether this one can is told by its profile and by the steps of its content. */
export const EVALUATE = 'Xmd.Evaluate';
const PROFILE = 'Xmd.Profile';

/** What an evaluation in this module has for its profile when it names none. Pure. */
export function onlyProfile(
  module: LoadedModule,
  lookup: KindLookup,
): { readonly kind: ResolvedKind; readonly document: LoadedDocument } | undefined {
  const profiles = module.documents.flatMap((document) => {
    const found = isDefinition(document) ? undefined : lookup(module, document.kind);
    return found?.ok === true && found.kind.canonical === PROFILE ? [{ kind: found.kind, document }] : [];
  });
  return profiles.length === 1 ? profiles[0] : undefined;
}

/** Where a profile states that a call in doubt waits for a person. Pure. */
export function doubtsThatPark(
  kind: ResolvedKind,
  configuration: Readonly<Record<string, unknown>>,
): readonly FieldPath[] {
  const { operations } = configuration;
  if (kind.canonical !== PROFILE || !Array.isArray(operations)) return [];
  return operations.flatMap((operation: unknown, index) => {
    const inDoubt = isRecord(operation) ? operation['inDoubt'] : undefined;
    return inDoubt === 'ask' || inDoubt === 'refuse' ? [['operations', index, 'inDoubt']] : [];
  });
}
