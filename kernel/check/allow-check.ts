import type { LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { Reference } from '../manifest/tagged.ts';
import type { Findings } from './findings.ts';
import { isDefinition } from './kinds.ts';
import type { KindLookup } from './kinds.ts';
import { resolveReference } from './references.ts';

const PROFILE = 'Xmd.Profile';
const NARROWING: ReadonlySet<string> = new Set(['Xmd.Evaluate', 'Xmd.Preflight', 'Xmd.Plan', 'Xmd.Syntax']);
/** What a resource without `allow` allows. */
const UNSTATED = ['read'];

/**
 * Reports an `allow` that is wider than the grants of its profile, where both are stated. Effect: on `findings`.
 * @see kernel-specs/evaluate.md EV-11
 */
export function checkAllow(module: LoadedModule, lookup: KindLookup, findings: Findings): void {
  for (const document of module.documents) {
    if (!NARROWING.has(kindOf(module, document, lookup) ?? '')) continue;
    const grants = profileOf(module, document, lookup)?.fields['grants'];
    const { allow = UNSTATED } = document.fields;
    if (!isTextList(allow) || !isTextList(grants)) continue;
    const index = allow.findIndex((one) => !grants.includes(one));
    if (index === -1) continue;
    findings.add(document, {
      code: 'ALLOW_WIDER_THAN_GRANTS',
      message: `${document.name} allows ${allow[index]}, and its profile grants ${grants.join(', ')} alone`,
      path: document.fields['allow'] === undefined ? [] : ['allow', index],
      hint: `State allow as one of the grants, or add ${allow[index]} to the grants of the profile.`,
    });
  }
}

/** The profile that a resource names, else its module's only one. */
function profileOf(module: LoadedModule, document: LoadedDocument, lookup: KindLookup): LoadedDocument | undefined {
  const { profile } = document.fields;
  if (profile instanceof Reference) {
    const found = resolveReference(module, profile, lookup);
    return found.ok ? found.target.resource?.document : undefined;
  }
  if (profile !== undefined) return undefined;
  const profiles = module.documents.filter((one) => kindOf(module, one, lookup) === PROFILE);
  return profiles.length === 1 ? profiles[0] : undefined;
}

function kindOf(module: LoadedModule, document: LoadedDocument, lookup: KindLookup): string | undefined {
  const found = isDefinition(document) ? undefined : lookup(module, document.kind);
  return found?.ok === true ? found.kind.canonical : undefined;
}

/** A list that is written out: one with an expression in it is known when it runs. Pure. */
function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
