import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Reference } from '../manifest/tagged.ts';
import type { Findings } from './findings.ts';
import { extendsKind, isDefinition } from './kinds.ts';
import type { KindLookup, ResolvedKind } from './kinds.ts';
import { resolveReference } from './references.ts';

const PROFILE = 'Xmd.Profile';
const RUN = 'Durable.Run';
/** Modules whose kinds park, or record their steps one by one: after a kill they are entered again, not called again. */
const ENTERED_AGAIN: ReadonlySet<string> = new Set(['Durable', 'DurableLocal', 'Run', 'Xmd']);

/**
 * Reports host operations of a profile whose `inDoubt` does not fit their grant or their target. Effect: on `findings`.
 * @see kernel-specs/host-operations.md HO-06
 */
export function checkHostOperations(module: LoadedModule, lookup: KindLookup, findings: Findings): void {
  for (const document of module.documents) {
    const kind = isDefinition(document) ? undefined : lookup(module, document.kind);
    if (kind?.ok !== true || kind.kind.canonical !== PROFILE) continue;
    const { operations } = document.fields;
    for (const [index, operation] of (Array.isArray(operations) ? operations : []).entries()) {
      if (isRecord(operation))
        checkOperation({ module, document, at: ['operations', index], lookup, findings }, operation);
    }
  }
}

interface Site {
  readonly module: LoadedModule;
  readonly document: LoadedDocument;
  readonly at: FieldPath;
  readonly lookup: KindLookup;
  readonly findings: Findings;
}

function checkOperation(site: Site, operation: Readonly<Record<string, unknown>>): void {
  const { document, at, findings } = site;
  const { grant, inDoubt, invoke, result } = operation;
  if (grant === 'write' && inDoubt === undefined) {
    findings.add(document, {
      code: 'HOST_OPERATION_IN_DOUBT',
      message: `${nameOf(operation)} writes, and does not state what is done when a call may have happened`,
      path: [...at, 'grant'],
      hint: 'State inDoubt as retry (the target is idempotent by effect.key), refuse or ask.',
    });
  }
  const target = targetOf(site, invoke);
  if (target === undefined) return;
  if ((inDoubt === 'refuse' || inDoubt === 'ask') && isEnteredAgain(target, site.lookup)) {
    findings.add(document, {
      code: 'HOST_OPERATION_IN_DOUBT',
      message: `${nameOf(operation)} cannot state inDoubt ${inDoubt}: ${target.canonical} is entered again after a kill, not called again`,
      path: [...at, 'inDoubt'],
      hint: 'State inDoubt as retry.',
    });
  }
  if (result !== undefined && target.canonical.startsWith('Durable.')) {
    findings.add(document, {
      code: 'HOST_OPERATION_RESULT',
      message: `${nameOf(operation)} cannot state a result: what ${target.canonical} is answered is the value as it is`,
      path: [...at, 'result'],
      hint: 'Leave result out, or make the value in the workflow.',
    });
  }
}

function targetOf({ module, lookup }: Site, invoke: unknown): ResolvedKind | undefined {
  if (invoke instanceof Reference) {
    const found = resolveReference(module, invoke, lookup);
    return found.ok ? found.target.kind : undefined;
  }
  const kind = isRecord(invoke) ? invoke['kind'] : undefined;
  const found = typeof kind === 'string' ? lookup(module, kind) : undefined;
  return found?.ok === true ? found.kind : undefined;
}

/** A kind of another module counts when it is a workflow, or states that it needs a run around it. */
function isEnteredAgain({ canonical, ancestors, view, definition }: ResolvedKind, lookup: KindLookup): boolean {
  const [module = ''] = canonical.split('.', 1);
  if (ENTERED_AGAIN.has(module) || ancestors.has(RUN)) return true;
  const needed = view.schema['x-telo-requires-zone'];
  const zone = isRecord(needed) ? needed['zone'] : needed;
  if (typeof zone !== 'string' || definition === undefined) return false;
  const found = lookup(definition.module, zone);
  return found.ok && extendsKind(found.kind, RUN);
}

function nameOf(operation: Readonly<Record<string, unknown>>): string {
  const { name } = operation;
  return typeof name === 'string' ? `The operation ${name}` : 'The operation';
}
