import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { startsUpper } from '../manifest/names.ts';
import { isRecord } from '../manifest/record.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import { checkExpression } from './expressions.ts';
import type { ExpressionScope } from './expressions.ts';
import type { Findings } from './findings.ts';
import type { KindLookup, ResolvedKind } from './kinds.ts';
import { fitsSlot, resolveReference, slotOf } from './references.ts';
import type { ReferenceTarget, SlotAnnotation } from './references.ts';
import { walkConfiguration } from './schema-walk.ts';
import type { Place } from './schema-walk.ts';
import { schemaProblems } from './schema-check.ts';
import { StepChecker } from './step-check.ts';
import { stepNames } from './step-grammar.ts';

type Configuration = Readonly<Record<string, unknown>>;

/** Checks the resources of one module. */
export class ResourceChecker {
  readonly module: LoadedModule;
  readonly lookup: KindLookup;
  readonly findings: Findings;

  constructor(module: LoadedModule, lookup: KindLookup, findings: Findings) {
    this.module = module;
    this.lookup = lookup;
    this.findings = findings;
  }

  /** A resource document: its kind, its name, its configuration. Effect: on the findings. */
  resource(document: LoadedDocument): void {
    const kind = this.#kind(document, document.kind, ['kind']);
    if (kind === undefined) return;
    const upper = kind.view.capability === 'Telo.Type';
    if (!upper && startsUpper(document.name)) {
      this.findings.add(document, {
        severity: 'warning',
        code: 'NAME_CASE_CONVENTION',
        message: `The name of a resource should start with a lower-case letter: ${document.name}`,
        path: ['metadata', 'name'],
      });
    }
    this.#configuration({ document, at: [], kind, configuration: document.fields });
  }

  /** An inline resource `{kind, ...configuration}`; answers its target. Effect: on the findings. */
  inline(document: LoadedDocument, at: FieldPath, value: Configuration): ReferenceTarget | undefined {
    const { kind: authored, metadata: _metadata, ...configuration } = value;
    if (typeof authored !== 'string') return undefined;
    if (typeof configuration['name'] === 'string' && Object.keys(configuration).length === 1) {
      this.#form(document, at, `Write !ref ${configuration['name']} instead of {kind, name}`);
      return undefined;
    }
    const kind = this.#kind(document, authored, [...at, 'kind']);
    if (kind === undefined) return undefined;
    this.#configuration({ document, at, kind, configuration });
    return { kind, name: '(inline)' };
  }

  /**
   * What stands where a reference belongs: a reference that leads somewhere fitting, or an inline resource.
   * Effect: on the findings.
   */
  slot(
    document: LoadedDocument,
    at: FieldPath,
    value: unknown,
    slot: SlotAnnotation,
    definer: ResolvedKind | undefined,
  ): ReferenceTarget | undefined {
    if (isRecord(value) && typeof value['kind'] === 'string') {
      const target = this.inline(document, at, value);
      if (target !== undefined) this.#fits(document, at, target, slot, definer);
      return target;
    }
    if (!(value instanceof Reference)) {
      const instead =
        typeof value === 'string' ? `Write !ref ${value} instead of a text` : 'Write !ref name or an inline resource';
      this.#form(document, at, instead);
      return undefined;
    }
    const found = resolveReference(this.module, value, this.lookup);
    if (found.ok) {
      this.#fits(document, at, found.target, slot, definer);
      return found.target;
    }
    if (found.silent !== true) {
      const { message, hint } = found;
      this.findings.add(document, { code: 'UNRESOLVED_REFERENCE', message, path: at, hint, position: value.position });
    }
    return undefined;
  }

  #kind(document: LoadedDocument, authored: string, at: FieldPath): ResolvedKind | undefined {
    const found = this.lookup(this.module, authored);
    if (!found.ok) {
      const { code, message, hint } = found;
      if (found.silent !== true) this.findings.add(document, { code, message, path: at, hint });
      return undefined;
    }
    if (found.kind.view.abstract !== true) return found.kind;
    const message = `${found.kind.canonical} is abstract: a resource needs a kind that extends it`;
    this.findings.add(document, { code: 'ABSTRACT_KIND', message, path: at });
    return undefined;
  }

  #configuration(owner: Owner): void {
    const { document, at, kind, configuration } = owner;
    const opaque: FieldPath[] = [];
    const scope = bodyScope(kind, configuration);
    const scoped = new Set(namesOf(configuration['with']));
    const steps = new StepChecker(this, document, scoped);
    walkConfiguration(kind.view.schema, configuration, (value, place) => {
      const path = [...at, ...place.path];
      const slot = place.schemas.map(slotOf).find((one) => one !== undefined);
      if (slot !== undefined && !Array.isArray(value)) {
        opaque.push(place.path);
        if (!(value instanceof Reference && scoped.has(value.text))) this.slot(document, path, value, slot, kind);
        return false;
      }
      if (isStepList(value, place)) {
        opaque.push(place.path);
        steps.body(value, path, { ...scope, roots: new Set([...(scope.roots ?? []), ...(place.context ?? [])]) });
        return false;
      }
      if (value instanceof Expression) this.#expression(owner, path, value, place, scope);
      else if (value instanceof Reference && !scoped.has(value.text)) this.#reference(document, path, value);
      return true;
    });
    for (const problem of schemaProblems(kind.view.schema, configuration, opaque)) {
      this.findings.add(document, { ...problem, code: 'SCHEMA_VIOLATION', path: [...at, ...problem.path] });
    }
  }

  #expression(owner: Owner, path: FieldPath, value: Expression, place: Place, scope: ExpressionScope): void {
    const { document, kind } = owner;
    const { evaluation, context } = place;
    if (evaluation === undefined && context === undefined && kind.view.capability !== 'Telo.Provider') {
      const name = String(path.at(-1));
      this.findings.add(document, {
        code: 'CEL_IN_NON_EVAL_FIELD',
        message: `'${name}' of ${kind.canonical} is not evaluated, so it cannot hold an expression`,
        path,
        position: value.position,
        hint: 'Write a plain value, or !literal for a text that only looks like an expression.',
      });
      return;
    }
    const bindings = isRecord(owner.configuration['bindings']) ? Object.keys(owner.configuration['bindings']) : [];
    const compileTime = context === undefined && (evaluation === 'compile' || kind.view.capability === 'Telo.Provider');
    const roots = compileTime
      ? new Set(bindings)
      : context === undefined
        ? undefined
        : new Set([...context, ...bindings]);
    const open = roots === undefined && bindings.length > 0 ? new Set([...bindings, ...ANY_CONTEXT]) : roots;
    const { inputs: _inputs, ...known } = scope;
    checkExpression(this.module, document, path, value, { ...known, roots: open }, this.findings);
  }

  #reference(document: LoadedDocument, path: FieldPath, value: Reference): void {
    const found = resolveReference(this.module, value, this.lookup);
    if (found.ok || found.silent === true) return;
    const { message, hint } = found;
    this.findings.add(document, { code: 'UNRESOLVED_REFERENCE', message, path, hint, position: value.position });
  }

  #fits(
    document: LoadedDocument,
    at: FieldPath,
    target: ReferenceTarget,
    slot: SlotAnnotation,
    definer: ResolvedKind | undefined,
  ): void {
    const { kind, name } = target;
    if (fitsSlot(kind, slot.kinds, definer, this.lookup)) return;
    const wanted = slot.kinds.map((one) => `'${one}'`).join(' or ');
    const message = `${name} (${kind.canonical}, ${kind.view.capability}) does not implement ${wanted}`;
    this.findings.add(document, { code: 'REFERENCE_KIND_MISMATCH', message, path: at });
  }

  #form(document: LoadedDocument, path: FieldPath, hint: string): void {
    const message = 'A reference must be written with !ref';
    this.findings.add(document, { code: 'INVALID_REFERENCE_FORM', message, path, hint: `${hint}.` });
  }
}

interface Owner {
  readonly document: LoadedDocument;
  /** Where the configuration stands in the document. */
  readonly at: FieldPath;
  readonly kind: ResolvedKind;
  readonly configuration: Configuration;
}

const ANY_CONTEXT = ['inputs', 'steps', 'error', 'item', 'index', 'items', 'iteration', 'previous', 'self'];

/** What the expressions of a kind's step bodies see, from the fields that kinds with bodies have. */
function bodyScope(kind: ResolvedKind, configuration: Configuration): ExpressionScope {
  const { properties } = kind.view.schema;
  const has = (name: string): boolean => isRecord(properties) && Object.hasOwn(properties, name);
  const inputs = configuration['inputs'];
  return {
    roots: new Set([
      'inputs',
      'steps',
      ...(has('collection') ? ['item', 'index', 'items'] : []),
      ...(has('maxIterations') ? ['iteration', 'previous'] : []),
      ...(isRecord(configuration['bindings']) ? Object.keys(configuration['bindings']) : []),
    ]),
    ...(configuration['steps'] === undefined ? {} : { steps: stepNames(configuration['steps']) }),
    ...(has('inputs') && has('steps') && isRecord(inputs) ? { inputs: new Set(Object.keys(inputs)) } : {}),
  };
}

/** Whether a value is a list of steps: its schema says so by its role, or its items are the shared step. Pure. */
export function isStepList(value: unknown, place: Place): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  return place.schemas.some((schema) => {
    const { items } = schema;
    const named = isRecord(items) ? items['$ref'] : undefined;
    return (
      schema['x-telo-topology-role'] === 'steps' ||
      (typeof named === 'string' && /^telo:\/\/manifest#\/\$defs\/Step$/.test(named))
    );
  });
}

function namesOf(resources: unknown): string[] {
  return (Array.isArray(resources) ? resources : []).flatMap((one) => {
    const metadata = isRecord(one) ? one['metadata'] : undefined;
    return isRecord(metadata) && typeof metadata['name'] === 'string' ? [metadata['name']] : [];
  });
}
