import path from 'node:path';
import { builtinKinds } from '../kinds/builtin.ts';
import { loadManifest } from '../manifest/load.ts';
import type { Diagnostic } from '../manifest/model.ts';
import { checkModule, reachable } from './check-module.ts';
import { checkContainment, containmentHere } from './containment.ts';
import type { Containment } from './containment.ts';
import { sortDiagnostics } from './format.ts';
import { checkProfileRoots } from './profile-root.ts';
import { kindLookup, moduleNames } from './kinds.ts';

/**
 * Reads and checks manifests, with what they import, against the kinds built in. A finding in a library that several
 * of them import comes once. Effect: reads files; runs nothing.
 * @see kernel-specs/manifest.md
 */
export async function checkManifests(
  manifests: readonly string[],
  options: { readonly cwd: string; readonly containment?: Containment },
): Promise<readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic>();
  const { containment = containmentHere() } = options;
  const lookup = kindLookup(builtinKinds);
  for (const manifest of manifests) {
    const loaded = await loadManifest(path.resolve(options.cwd, manifest), { builtins: moduleNames(builtinKinds) });
    const checked =
      loaded.module === undefined
        ? []
        : [
            ...checkModule(loaded.module, lookup),
            ...[...reachable(loaded.module)].flatMap((one) => checkContainment(one, lookup, containment)),
            ...[...reachable(loaded.module)].flatMap((one) => checkProfileRoots(one, lookup)),
          ];
    for (const one of [...loaded.diagnostics, ...checked]) {
      found.set(JSON.stringify([one.position, one.code, one.message]), one);
    }
  }
  return sortDiagnostics([...found.values()]);
}
