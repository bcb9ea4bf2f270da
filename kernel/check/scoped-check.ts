import type { FieldPath, LoadedDocument } from '../manifest/model.ts';
import { nameProblem } from '../manifest/names.ts';
import { isRecord } from '../manifest/record.ts';
import { extendsKind } from './kinds.ts';
import type { ResolvedKind } from './kinds.ts';
import type { Owner, ResourceChecker, ScopedTargets } from './resource-check.ts';
import { scopedEntries, scopedTarget } from './scoped.ts';
import type { ScopedEntry } from './scoped.ts';

type Inside = Pick<Owner, 'at' | 'kind' | 'configuration'>;

/** What resources live inside, for what is said of a workflow there. */
const OF_A_CALL = {
  why: 'a call: its runs outlive it',
  hint: 'Declare the workflow as a resource of the module.',
};

/**
 * The resources held inside one, checked; answers what its references may mean beside those of the module. Effect: on
 * the findings.
 */
export function checkScoped(checker: ResourceChecker, owner: Owner): ScopedTargets {
  const { document, at, kind, configuration, scoped: around = checker.around } = owner;
  const entries = scopedEntries(kind, configuration);
  if (entries.length === 0 && configuration['targets'] === undefined) return around;
  const places = entries.map(({ name, value, at: place }) => ({ name, value, at: [...at, ...place] }));
  const { scoped, found } = targetsOf(checker, document, { entries: places, around, within: OF_A_CALL });
  for (const one of found) checker.configuration({ document, scoped, ...one });
  if (hasScope(kind)) checkTargets(checker, owner, scoped);
  return scoped;
}

interface Written {
  /** With their places in the document. */
  readonly entries: readonly ScopedEntry[];
  readonly around: ScopedTargets;
  readonly within: typeof OF_A_CALL;
}

/** Kinds and names of resources written inside something; answers those that can be checked further. Effect: on the findings. */
export function targetsOf(
  checker: ResourceChecker,
  document: LoadedDocument,
  { entries, around, within }: Written,
): { readonly scoped: ScopedTargets; readonly found: readonly Inside[] } {
  const scoped = new Map(around);
  const found = entries.flatMap((entry) => {
    const { at, name } = entry;
    const one = insideOf(checker, document, { entry, taken: name !== undefined && scoped.has(name), within });
    if (one !== undefined && name !== undefined) scoped.set(name, { kind: one.kind, name });
    return one === undefined ? [] : [{ ...one, at }];
  });
  return { scoped, found };
}

function insideOf(
  checker: ResourceChecker,
  document: LoadedDocument,
  { entry, taken, within }: { readonly entry: ScopedEntry; readonly taken: boolean; readonly within: typeof OF_A_CALL },
): Omit<Inside, 'at'> | undefined {
  const { value, name, at } = entry;
  const { findings } = checker;
  if (!isRecord(value) || typeof value['kind'] !== 'string' || name === undefined) {
    const message = 'A resource inside another one needs a kind and metadata with a name';
    findings.add(document, { code: 'SCHEMA_VIOLATION', message, path: at });
    return undefined;
  }
  const problem = nameProblem(name);
  const code = problem === undefined ? 'DUPLICATE_RESOURCE_NAME' : 'INVALID_NAME';
  const message = problem ?? (taken ? `Two resources here are named ${name}` : undefined);
  if (message !== undefined) findings.add(document, { code, message, path: [...at, 'metadata', 'name'] });
  const { kind: authored, metadata: _metadata, ...configuration } = value;
  const kind = checker.kind(document, authored, [...at, 'kind']);
  if (kind === undefined) return undefined;
  if (extendsKind(kind, 'Durable.Run')) {
    findings.add(document, {
      code: 'SCOPED_WORKFLOW',
      message: `${name} (${kind.canonical}) cannot live inside ${within.why}`,
      path: [...at, 'kind'],
      hint: within.hint,
    });
  }
  return { kind, configuration };
}

/** What is run before the steps must live inside, and be something that runs. */
function checkTargets(checker: ResourceChecker, { document, at, configuration }: Owner, scoped: ScopedTargets): void {
  const { targets } = configuration;
  for (const [index, target] of (Array.isArray(targets) ? targets : []).entries()) {
    const path: FieldPath = [...at, 'targets', index];
    if (scopedTarget(scoped, target) !== undefined) {
      const slot = { kinds: ['Telo.Runnable', 'Telo.Service'], use: 'call' };
      checker.slot(document, path, target, slot, undefined, scoped);
      continue;
    }
    const message = 'A target here must be a !ref to one of the resources of `with`';
    const hint = scoped.size === 0 ? 'Declare it under `with`.' : `Known here: ${[...scoped.keys()].join(', ')}.`;
    checker.findings.add(document, { code: 'UNRESOLVED_REFERENCE', message, path, hint });
  }
}

function hasScope({ view }: ResolvedKind): boolean {
  const { properties } = view.schema;
  return isRecord(properties) && Object.values(properties).some((one) => isRecord(one) && one['x-telo-scope'] === true);
}
