import type { LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import type { Findings } from './findings.ts';
import { isDefinition } from './kinds.ts';
import type { KindLookup } from './kinds.ts';

const PROFILE = 'Xmd.Profile';
const UNDER_A_PROFILE: ReadonlySet<string> = new Set(['Xmd.Evaluate', 'Xmd.Preflight', 'Xmd.Plan', 'Xmd.Syntax']);
/** The others may be told another profile by the Evaluate whose content they are part of. */
const UNDER_ITS_OWN: ReadonlySet<string> = new Set(['Xmd.Evaluate', 'Xmd.Preflight']);

/**
 * Reports what names no profile where its module has none, or several: it would be refused at its first call. Effect: on
 * `findings`. A module with a profile in place, inside another resource, is left alone.
 * @see kernel-specs/manifest.md M-20
 */
export function checkProfiles(module: LoadedModule, lookup: KindLookup, findings: Findings): void {
  const kindOf = (kind: unknown): string | undefined => {
    const found = typeof kind === 'string' ? lookup(module, kind) : undefined;
    return found?.ok === true ? found.kind.canonical : undefined;
  };
  const resources = module.documents.filter((document) => !isDefinition(document));
  if (resources.some(({ fields }) => holds(fields, (kind) => kindOf(kind) === PROFILE))) return;
  const profiles = resources.filter(({ kind }) => kindOf(kind) === PROFILE).map(({ name }) => name);
  for (const document of resources) {
    const kind = kindOf(document.kind) ?? '';
    if (document.fields['profile'] !== undefined || profiles.length === 1) continue;
    if (!(profiles.length === 0 ? UNDER_A_PROFILE : UNDER_ITS_OWN).has(kind)) continue;
    const several = profiles.length > 1;
    findings.add(document, {
      code: 'PROFILE_NOT_NAMED',
      message: several
        ? `${document.name} names no profile, and there are several`
        : `${document.name} has no profile: this module declares none`,
      path: [],
      hint: several ? `State profile as !ref to one of: ${profiles.join(', ')}.` : 'Declare an Xmd.Profile.',
    });
  }
}

function holds(value: unknown, isWanted: (kind: unknown) => boolean): boolean {
  if (Array.isArray(value)) return value.some((one) => holds(one, isWanted));
  if (!isRecord(value)) return false;
  return isWanted(value['kind']) || Object.values(value).some((one) => holds(one, isWanted));
}
