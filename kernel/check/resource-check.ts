import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { startsUpper } from '../manifest/names.ts';
import { isRecord } from '../manifest/record.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import { bodyScope, isStepList } from './bodies.ts';
import { TEMPLATE } from './definition-view.ts';
import { checkExpression } from './expressions.ts';
import type { ExpressionScope } from './expressions.ts';
import type { Findings } from './findings.ts';
import type { KindLookup, ResolvedKind } from './kinds.ts';
import { fitsSlot, resolveReference, slotOf } from './references.ts';
import type { ReferenceTarget, SlotAnnotation } from './references.ts';
import { walkConfiguration } from './schema-walk.ts';
import type { Place } from './schema-walk.ts';
import { schemaProblems } from './schema-check.ts';
import { checkScoped } from './scoped-check.ts';
import { scopedTarget } from './scoped.ts';
import { StepChecker } from './step-check.ts';

type Configuration = Readonly<Record<string, unknown>>;

/** Checks the resources of one module. */
export class ResourceChecker {
  readonly module: LoadedModule;
  readonly lookup: KindLookup;
  readonly findings: Findings;
  /** Resources that everything checked here sees beside those of the module: those of a template. */
  readonly around: ScopedTargets;
  readonly #self: Pick<ExpressionScope, 'self'>;
  readonly #values: ReadonlySet<string>;

  constructor(module: LoadedModule, lookup: KindLookup, findings: Findings, template?: TemplateBody) {
    this.module = module;
    this.lookup = lookup;
    this.findings = findings;
    this.around = template?.resources ?? NOTHING_SCOPED;
    this.#self = template === undefined ? {} : { self: template.self };
    this.#values = template?.values ?? new Set();
  }

  /** A resource document: its kind, its name, its configuration. Effect: on the findings. */
  resource(document: LoadedDocument): void {
    const kind = this.kind(document, document.kind, ['kind']);
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
    this.configuration({ document, at: [], kind, configuration: document.fields });
  }

  /** An inline resource `{kind, ...configuration}`; answers its target. Effect: on the findings. */
  inline(document: LoadedDocument, at: FieldPath, value: Configuration): ReferenceTarget | undefined {
    const { kind: authored, metadata: _metadata, ...configuration } = value;
    if (typeof authored !== 'string') return undefined;
    if (typeof configuration['name'] === 'string' && Object.keys(configuration).length === 1) {
      this.#form(document, at, `Write !ref ${configuration['name']} instead of {kind, name}`);
      return undefined;
    }
    const kind = this.kind(document, authored, [...at, 'kind']);
    if (kind === undefined) return undefined;
    this.configuration({ document, at, kind, configuration });
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
    scoped: ScopedTargets = this.around,
  ): ReferenceTarget | undefined {
    const inside = scopedTarget(scoped, value);
    if (inside !== undefined) {
      this.#fits(document, at, inside, slot, definer);
      return inside;
    }
    if (isRecord(value) && typeof value['kind'] === 'string') {
      const target = this.inline(document, at, value);
      if (target !== undefined) this.#fits(document, at, target, slot, definer);
      return target;
    }
    if (this.#self.self !== undefined && value instanceof Expression) {
      this.#handedOn(document, at, value);
      return undefined;
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

  /** The kind of a resource, which must be one that resources can have. Effect: on the findings. */
  kind(document: LoadedDocument, authored: string, at: FieldPath): ResolvedKind | undefined {
    const found = this.lookup(this.module, authored);
    if (!found.ok) {
      const { code, message, hint } = found;
      if (found.silent !== true) this.findings.add(document, { code, message, path: at, hint });
      return undefined;
    }
    if (found.kind.view.abstract !== true) {
      this.#controlled(document, found.kind, at);
      return found.kind;
    }
    const message = `${found.kind.canonical} is abstract: a resource needs a kind that extends it`;
    this.findings.add(document, { code: 'ABSTRACT_KIND', message, path: at });
    return undefined;
  }

  /** A kind that inherits all but a controller has nothing to make its resources with; a template is told of by itself. */
  #controlled(document: LoadedDocument, { canonical, definition }: ResolvedKind, at: FieldPath): void {
    if (definition === undefined || definition.controllers.length > 0) return;
    if (TEMPLATE.some((member) => definition.document.fields[member] !== undefined)) return;
    this.findings.add(document, {
      code: 'KIND_WITHOUT_CONTROLLER',
      message: `${canonical} has no controller, and a controller is not inherited`,
      path: at,
      hint: 'Add controllers to its Telo.Definition, or use the kind that it extends.',
    });
  }

  /** The configuration of one resource against its kind. Effect: on the findings. */
  configuration(owner: Owner): void {
    const { document, at, kind, configuration } = owner;
    const opaque: FieldPath[] = [];
    const { scoped: names = this.around } = owner;
    const around = names.size === 0 ? {} : { scoped: [...names.keys()] };
    const scope = { ...bodyScope(kind, configuration), ...around, ...this.#self };
    const scoped = checkScoped(this, owner);
    const steps = new StepChecker(this, document, scoped);
    walkConfiguration(kind.view.schema, configuration, (value, place) => {
      const path = [...at, ...place.path];
      const slot = place.schemas.map(slotOf).find((one) => one !== undefined);
      if (place.schemas.some((schema) => schema['x-telo-scope'] === true)) return false;
      if (slot !== undefined && !Array.isArray(value)) {
        opaque.push(place.path);
        this.slot(document, path, value, slot, kind, scoped);
        return false;
      }
      if (isStepList(value, place)) {
        opaque.push(place.path);
        steps.body(value, path, { ...scope, roots: new Set([...(scope.roots ?? []), ...(place.context ?? [])]) });
        return false;
      }
      if (value instanceof Expression) this.#expression(owner, path, value, place, scope);
      else if (value instanceof Reference && scopedTarget(scoped, value) === undefined)
        this.#reference(document, path, value);
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
      if (this.#self.self !== undefined) {
        checkExpression(this.module, document, path, value, { ...BEFORE_RESOURCES, ...this.#self }, this.findings);
        return;
      }
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

  /** What stands in a slot of a template's resource for a resource that the instance was given. */
  #handedOn(document: LoadedDocument, path: FieldPath, value: Expression): void {
    const [, member] = value.form === 'cel' ? (/^self\.(\w+)(?:\.\w+)*$/.exec(value.source.trim()) ?? []) : [];
    if (member === undefined || this.#values.has(member)) {
      this.#form(document, path, 'Write !ref name, or !cel self.<field> of a field that is a reference');
      return;
    }
    checkExpression(this.module, document, path, value, { ...BEFORE_RESOURCES, ...this.#self }, this.findings);
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

export interface Owner {
  readonly document: LoadedDocument;
  /** Where the configuration stands in the document. */
  readonly at: FieldPath;
  readonly kind: ResolvedKind;
  readonly configuration: Configuration;
  /** What it sees of the resources around it, when it lives inside another one. */
  readonly scoped?: ScopedTargets;
}

export type ScopedTargets = ReadonlyMap<string, ReferenceTarget>;

/** What the resources of a template see. */
export interface TemplateBody {
  readonly resources: ScopedTargets;
  /** Members of `self`, or that they are not known. */
  readonly self: ReadonlySet<string> | 'any';
  /** Members of `self` that are declared, and not as references. */
  readonly values: ReadonlySet<string>;
}

const NOTHING_SCOPED: ScopedTargets = new Map();

/** What is evaluated while a template's resources are made. */
const BEFORE_RESOURCES: ExpressionScope = {
  roots: new Set(),
  module: ['variables', 'secrets', 'ports', 'module'],
};

const ANY_CONTEXT = ['inputs', 'steps', 'error', 'item', 'index', 'items', 'iteration', 'previous', 'self'];
