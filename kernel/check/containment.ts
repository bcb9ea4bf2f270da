import { existsSync } from 'node:fs';
import type { Diagnostic, LoadedModule } from '../manifest/model.ts';
import { Findings } from './findings.ts';
import { isDefinition } from './kinds.ts';
import type { KindLookup } from './kinds.ts';

/** How files below a root are kept in: by handles of their folders, or by comparing before and after use. */
export type Containment = 'handles' | 'verified';

const PROFILE = 'Xmd.Profile';

/** What this system has. Effect: looks whether `/proc` is mounted. */
export function containmentHere(platform: string = process.platform, handles = '/proc/self/fd'): Containment {
  return platform === 'linux' && existsSync(handles) ? 'handles' : 'verified';
}

/**
 * Says of each profile of a module that containment is weaker where there are no handles. Pure.
 * @see kernel-specs/manifest.md M-22
 */
export function checkContainment(
  module: LoadedModule,
  lookup: KindLookup,
  containment: Containment,
): readonly Diagnostic[] {
  const findings = new Findings();
  if (containment === 'handles') return [];
  for (const document of module.documents) {
    const kind = isDefinition(document) ? undefined : lookup(module, document.kind);
    if (kind?.ok !== true || kind.kind.canonical !== PROFILE) continue;
    findings.add(document, {
      severity: 'warning',
      code: 'CONTAINMENT_VERIFIED_ONLY',
      message:
        'On this system the guarantee for files is weaker: paths are compared before and after use, not held by handles',
      path: ['root'],
      hint: 'Let no other process change folders below the root meanwhile, or evaluate on Linux with /proc.',
    });
  }
  return findings.diagnostics;
}
