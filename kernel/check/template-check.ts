import { readTemplate, TEMPLATE_FORMS } from '../kinds/template.ts';
import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import { eachSchema, refuseMember } from './definition-check.ts';
import { parentNames, TEMPLATE } from './definition-view.ts';
import { checkExpression } from './expressions.ts';
import { suggestion } from './findings.ts';
import { extendsKind } from './kinds.ts';
import type { KindLookup, ResolvedKind } from './kinds.ts';
import { ResourceChecker } from './resource-check.ts';
import type { ScopedTargets, TemplateBody } from './resource-check.ts';
import { templateEntries } from './scoped.ts';
import { targetsOf } from './scoped-check.ts';

/** Capabilities of a kind whose template answers in this way. */
const CAPABLE: Readonly<Record<(typeof TEMPLATE_FORMS)[number], readonly string[]>> = {
  invoke: ['Telo.Invocable', 'Telo.Runnable'],
  run: ['Telo.Runnable', 'Telo.Service'],
  provide: ['Telo.Provider'],
  mount: ['Telo.Mount'],
};
const OF_A_TEMPLATE = {
  why: 'a template: its runs could not be found again by its name',
  hint: 'Declare the workflow as a resource of the module, and refer to it.',
};

/**
 * The body that a definition states in place of a controller. Effect: on the findings.
 * @see kernel-specs/templates.md TP-10
 */
export function checkTemplate(checker: ResourceChecker, document: LoadedDocument): void {
  const { fields } = document;
  const stated = TEMPLATE.filter((member) => fields[member] !== undefined);
  const [first] = stated;
  if (first === undefined) return;
  if (document.kind !== 'Telo.Definition') {
    for (const member of stated) refuseMember(checker, document, member);
    return;
  }
  checkNotBuiltIn(checker, document);
  if (fields['controllers'] !== undefined)
    refuse(checker, document, ['controllers'], 'A kind has a template or controllers, not both');
  const forms = TEMPLATE_FORMS.filter((form) => fields[form] !== undefined);
  if (forms.length !== 1) {
    const message = `A template states one of ${TEMPLATE_FORMS.join(', ')}: which of its resources answers`;
    refuse(checker, document, [forms[1] ?? first], message);
  }
  checkBody(checker, document);
}

function refuse({ findings }: ResourceChecker, document: LoadedDocument, path: FieldPath, message: string): void {
  findings.add(document, { code: 'TEMPLATE_INVALID', message, path, atKey: true });
}

/** What this kernel cannot make must not wait until somebody boots it. */
function checkNotBuiltIn({ findings }: ResourceChecker, document: LoadedDocument): void {
  const { fields } = document;
  const add = (path: FieldPath, message: string, hint: string): void =>
    findings.add(document, { code: 'TEMPLATE_NOT_BUILT_IN', message, path, atKey: true, hint });
  if (fields['base'] !== undefined) add(['base'], "'base' of a template is not built in", 'Write it out.');
  for (const member of ['inputs', 'result'].filter((one) => fields[one] !== undefined)) {
    if (fields['invoke'] === undefined)
      add([member], `'${member}' is built in beside 'invoke' alone`, 'Leave it out, or answer with invoke.');
  }
  eachSchema(fields['schema'], ['schema'], (schema, path) => {
    for (const annotation of ['x-telo-context', 'x-telo-scope', 'x-telo-provides-zone']) {
      if (schema[annotation] !== undefined)
        add([...path, annotation], `'${annotation}' in a templated kind is not built in`, 'Leave it out.');
    }
    if (schema['x-telo-eval'] !== 'runtime') return;
    const message = 'A templated kind reads its configuration once: evaluation at each call is not built in';
    add([...path, 'x-telo-eval'], message, 'Write x-telo-eval: compile.');
  });
}

function checkBody(checker: ResourceChecker, document: LoadedDocument): void {
  const { module, lookup, findings } = checker;
  const { resources } = document.fields;
  if (!Array.isArray(resources)) {
    const message = 'A template needs resources, a list';
    findings.add(document, { code: 'SCHEMA_VIOLATION', message, path: ['resources'] });
    return;
  }
  const own = lookup(module, `Self.${document.name}`);
  if (!own.ok) return;
  const { scoped, found } = targetsOf(checker, document, {
    entries: templateEntries(resources),
    around: new Map(),
    within: OF_A_TEMPLATE,
  });
  const body: TemplateBody = { resources: scoped, self: selfMembers(own.kind), values: valuesOf(own.kind) };
  const inside = new ResourceChecker(module, lookup, findings, body);
  for (const one of found) inside.configuration({ document, scoped, ...one });
  for (const [index, resource] of resources.entries()) {
    if (!makes(module, resource, { document, lookup, seen: new Set() })) continue;
    const message = `${document.name} cannot be made of itself: each instance would make another one`;
    refuse(checker, document, ['resources', index], message);
  }
  checkAnswering(inside, document, { own: own.kind, scoped });
  for (const member of ['inputs', 'result'])
    checkCallExpressions(inside, document, { member, value: document.fields[member], self: body.self });
}

/** Which resource answers, and that it can answer for the kind. */
function checkAnswering(
  checker: ResourceChecker,
  document: LoadedDocument,
  { own, scoped }: { readonly own: ResolvedKind; readonly scoped: ScopedTargets },
): void {
  const { fields } = document;
  const { capability } = own.view;
  for (const form of TEMPLATE_FORMS.filter((one) => fields[one] !== undefined)) {
    if (!CAPABLE[form].includes(capability)) {
      refuse(checker, document, [form], `'${form}' does not fit ${document.name}, which is ${capability}`);
      continue;
    }
    const value = fields[form];
    const target = value instanceof Reference && value.alias === undefined ? scoped.get(value.name) : undefined;
    if (target === undefined) {
      const name = value instanceof Reference ? value.text : String(value);
      const message = `'${form}' must be a !ref to one of the resources of the template`;
      const hint = suggestion(name, [...scoped.keys()]);
      checker.findings.add(document, { code: 'UNRESOLVED_REFERENCE', message, path: [form], hint });
      continue;
    }
    const kinds = form === 'invoke' ? ['Telo.Executable'] : [capability];
    checker.slot(document, [form], value, { kinds, use: 'call' }, undefined, scoped);
    if (form === 'provide' || form === 'mount') checkStandIn(checker, document, { form, kind: target.kind });
  }
}

/** Who holds an instance calls the members of the one that answers: that one must be what the kind extends. */
function checkStandIn(
  { lookup, module, findings }: ResourceChecker,
  document: LoadedDocument,
  { form, kind }: { readonly form: string; readonly kind: ResolvedKind },
): void {
  for (const parent of parentNames(document)) {
    const found = lookup(module, parent);
    if (!found.ok || extendsKind(kind, found.kind.canonical)) continue;
    const message = `${document.name} extends ${found.kind.canonical}, and ${kind.canonical}, which answers for it, does not`;
    findings.add(document, { code: 'REFERENCE_KIND_MISMATCH', message, path: [form] });
  }
}

function checkCallExpressions(
  checker: ResourceChecker,
  document: LoadedDocument,
  { member, value, self }: { readonly member: string; readonly value: unknown; readonly self: TemplateBody['self'] },
): void {
  const roots = new Set(member === 'inputs' ? ['inputs'] : ['inputs', 'result']);
  const visit = (at: unknown, path: FieldPath): void => {
    if (at instanceof Expression) {
      const scope = { roots, self, scoped: [...checker.around.keys()] };
      checkExpression(checker.module, document, path, at, scope, checker.findings);
    } else if (Array.isArray(at)) for (const [index, item] of at.entries()) visit(item, [...path, index]);
    else if (isRecord(at)) for (const [key, one] of Object.entries(at)) visit(one, [...path, key]);
  };
  visit(value, [member]);
}

/** Members of the configuration of an instance, where its schema is closed. */
function selfMembers({ view }: ResolvedKind): TemplateBody['self'] {
  const { properties, additionalProperties } = view.schema;
  if (additionalProperties !== false) return 'any';
  return new Set(['kind', 'metadata', ...Object.keys(isRecord(properties) ? properties : {})]);
}

/** Members that are declared with a schema of their own and cannot hold a reference at any depth. */
function valuesOf({ view }: ResolvedKind): ReadonlySet<string> {
  const properties = isRecord(view.schema['properties']) ? view.schema['properties'] : {};
  return new Set(
    Object.entries(properties).flatMap(([name, schema]) => {
      let refers = false;
      eachSchema(schema, [], (at) => {
        refers ||= at['x-telo-ref'] !== undefined || at['$ref'] !== undefined;
      });
      return refers ? [] : [name];
    }),
  );
}

interface Making {
  /** The template that must not be made again. */
  readonly document: LoadedDocument;
  readonly lookup: KindLookup;
  readonly seen: Set<LoadedDocument>;
}

/** Whether making what is written here makes an instance of a template, at any distance. Pure. */
function makes(module: LoadedModule, value: unknown, making: Making): boolean {
  if (Array.isArray(value)) return value.some((item) => makes(module, item, making));
  if (!isRecord(value)) return false;
  const { kind } = value;
  const found = typeof kind === 'string' ? making.lookup(module, kind) : undefined;
  const definition = found?.ok === true ? found.kind.definition : undefined;
  if (definition !== undefined && makesTemplate(definition, making)) return true;
  return Object.values(value).some((member) => makes(module, member, making));
}

function makesTemplate(
  { module, document }: { module: LoadedModule; document: LoadedDocument },
  making: Making,
): boolean {
  if (document === making.document) return true;
  if (making.seen.has(document) || readTemplate(document.fields) === undefined) return false;
  making.seen.add(document);
  return makes(module, document.fields['resources'], making);
}
