import { statSync } from 'node:fs';
import path from 'node:path';
import type { Diagnostic, LoadedModule } from '../manifest/model.ts';
import { Findings } from './findings.ts';
import { isDefinition } from './kinds.ts';
import type { KindLookup } from './kinds.ts';

/**
 * Says of each profile whose root is written out that there is no such folder: every read would fail. A warning, since a
 * folder may be made before the run. Effect: looks at the file system.
 * @see kernel-specs/manifest.md M-23
 */
export function checkProfileRoots(module: LoadedModule, lookup: KindLookup): readonly Diagnostic[] {
  const findings = new Findings();
  for (const document of module.documents) {
    const kind = isDefinition(document) ? undefined : lookup(module, document.kind);
    const { root } = document.fields;
    if (kind?.ok !== true || kind.kind.canonical !== 'Xmd.Profile' || typeof root !== 'string') continue;
    const folder = statSync(path.resolve(module.directory, root), { throwIfNoEntry: false });
    if (folder?.isDirectory() === true) continue;
    findings.add(document, {
      severity: 'warning',
      code: 'PROFILE_ROOT_MISSING',
      message: folder === undefined ? 'There is no folder of this name' : 'What has this name is no folder',
      path: ['root'],
      hint: 'Make the folder, or name another one; it is relative to the manifest.',
    });
  }
  return findings.diagnostics;
}
