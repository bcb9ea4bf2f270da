import type { Definitions } from './definitions.ts';
import type { ResourceRecord } from './resource.ts';
import type { ModuleScope } from './scope.ts';

/** Everything that states files. Scopes and controllers only join; resources come and go. */
interface Sources {
  readonly scopes: readonly ModuleScope[];
  readonly definitions: Pick<Definitions, 'files'>;
  readonly records: readonly ResourceRecord[];
}

/** What the list was made of. */
interface Made {
  readonly scopes: number;
  readonly controllers: number;
  readonly ofResources: readonly string[];
  readonly paths: readonly string[];
}

/**
 * Absolute paths that nothing evaluated for a fragment may touch: manifests, controllers, and the files of resources.
 * Looked through at each question, as journals open late; made anew only when something has changed.
 *
 * @see kernel-specs/files.md FS-20
 */
export class ProtectedPaths {
  readonly #sources: Sources;
  #made: Made | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Pure. Answers one frozen list for as long as it stays the same. */
  list(): readonly string[] {
    const { scopes, definitions, records } = this.#sources;
    const ofResources = filesOf(records);
    const made = this.#made;
    if (
      made?.scopes === scopes.length &&
      made.controllers === definitions.files.size &&
      made.ofResources.length === ofResources.length &&
      made.ofResources.every((file, index) => file === ofResources[index])
    ) {
      return made.paths;
    }
    const paths = new Set<string>();
    for (const { module } of scopes) for (const file of module?.files ?? []) paths.add(file);
    for (const file of definitions.files) paths.add(file).add(`${file}.map`);
    for (const file of ofResources) paths.add(file);
    const list = Object.freeze([...paths]);
    this.#made = { scopes: scopes.length, controllers: definitions.files.size, ofResources, paths: list };
    return list;
  }
}

function filesOf(records: readonly ResourceRecord[]): readonly string[] {
  const found: string[] = [];
  for (const { instance } of records) {
    if (instance === undefined || !('files' in instance)) continue;
    const { files } = instance;
    if (Array.isArray(files)) for (const file of files) if (typeof file === 'string') found.push(file);
  }
  return found;
}
