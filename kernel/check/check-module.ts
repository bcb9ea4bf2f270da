import type { Diagnostic, LoadedModule } from '../manifest/model.ts';
import { checkAllow } from './allow-check.ts';
import { checkContracts } from './contract-check.ts';
import { checkDefinition } from './definition-check.ts';
import { checkEvaluationTexts } from './evaluation-text.ts';
import { Findings } from './findings.ts';
import { sortDiagnostics } from './format.ts';
import { checkHostOperations } from './host-operations.ts';
import { isDefinition } from './kinds.ts';
import type { KindLookup } from './kinds.ts';
import { checkProfiles } from './profile-check.ts';
import { ResourceChecker } from './resource-check.ts';
import { checkRoot } from './root-check.ts';
import { checkTemplate } from './template-check.ts';
import { checkZones } from './zones.ts';

/**
 * Everything that can be known to be wrong with a module and what it imports without running it. Pure: what
 * `loadManifest` already reported is not repeated.
 * @see kernel-specs/manifest.md
 */
export function checkModule(module: LoadedModule, kinds: KindLookup): readonly Diagnostic[] {
  const findings = new Findings();
  for (const one of reachable(module)) {
    checkOne(one, kinds, findings);
    checkHostOperations(one, kinds, findings);
    checkAllow(one, kinds, findings);
    checkProfiles(one, kinds, findings);
    checkContracts(one, findings);
    checkEvaluationTexts(one, kinds, findings);
  }
  checkZones(module, kinds, findings);
  return sortDiagnostics(findings.diagnostics);
}

function checkOne(module: LoadedModule, kinds: KindLookup, findings: Findings): void {
  const checker = new ResourceChecker(module, kinds, findings);
  checkRoot(checker);
  for (const document of module.documents) {
    if (isDefinition(document)) {
      checkDefinition(checker, document);
      checkTemplate(checker, document);
    } else checker.resource(document);
  }
}

/** The module and every library below it, each once. Pure. */
export function reachable(module: LoadedModule): ReadonlySet<LoadedModule> {
  const found = new Set([module]);
  for (const one of found) {
    for (const { target } of one.imports.values()) if (target.kind === 'module') found.add(target.module);
  }
  return found;
}
