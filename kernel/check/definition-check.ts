import type { FieldPath, LoadedDocument } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { CAPABILITIES, capabilityOf, parentNames, plainData } from './definition-view.ts';
import { suggestion } from './findings.ts';
import type { ResourceChecker } from './resource-check.ts';
import { ZONE_ATTRIBUTES } from './root-schema.ts';
import { schemaFault } from './schema-check.ts';

const USES = ['schema', 'dependency', 'call', 'detached', 'trigger.inbound', 'trigger.consumer'];
const BUNDLE_QUALIFIERS = ['path', 'local_path'];

/** One Telo.Definition or Telo.Abstract: what its kind promises and whether that can be read. Effect: on the findings. */
export function checkDefinition(checker: ResourceChecker, document: LoadedDocument): void {
  checkCapability(checker, document);
  checkParents(checker, document);
  checkSchema(checker, document);
  checkThrows(checker, document);
  if (document.kind === 'Telo.Definition') checkControllers(checker, document);
  else refuseMember(checker, document, 'controllers');
}

function checkCapability({ findings }: ResourceChecker, document: LoadedDocument): void {
  const { capability } = document.fields;
  if (capability === undefined || capabilityOf(capability) !== undefined) return;
  const message = `${textOf(capability)} is no capability that a kind can declare`;
  const hint = `Declare one of ${CAPABILITIES.join(', ')}.`;
  findings.add(document, { code: 'CAPABILITY_NOT_DECLARABLE', message, path: ['capability'], hint });
}

function checkParents({ findings, lookup, module }: ResourceChecker, document: LoadedDocument): void {
  for (const parent of parentNames(document)) {
    const found = lookup(module, parent);
    if (!found.ok && found.silent !== true)
      findings.add(document, { code: found.code, message: found.message, path: ['extends'], hint: found.hint });
  }
}

function checkSchema(checker: ResourceChecker, document: LoadedDocument): void {
  const schema = plainData(document.fields['schema']);
  if (schema === undefined) return;
  const { findings } = checker;
  if (!isRecord(schema)) {
    findings.add(document, { code: 'SCHEMA_VIOLATION', message: 'schema must be a map', path: ['schema'] });
    return;
  }
  const fault = schemaFault(schema);
  if (fault !== undefined) {
    const message = `The schema cannot be used: ${fault}`;
    findings.add(document, { code: 'KIND_SCHEMA_INVALID', message, path: ['schema'] });
  }
  eachSchema(schema, ['schema'], (at, path) => {
    checkSlot(checker, document, at, path);
    checkZone(checker, document, at, path);
  });
}

/** Every schema inside one, with its place. */
export function eachSchema(
  schema: unknown,
  path: FieldPath,
  visit: (schema: Readonly<Record<string, unknown>>, path: FieldPath) => void,
): void {
  if (Array.isArray(schema)) {
    for (const [index, item] of schema.entries()) eachSchema(item, [...path, index], visit);
  } else if (isRecord(schema)) {
    visit(schema, path);
    for (const [key, member] of Object.entries(schema)) {
      if (!key.startsWith('x-') && !['enum', 'const', 'default', 'examples'].includes(key)) {
        eachSchema(member, [...path, key], visit);
      }
    }
  }
}

function checkSlot(
  checker: ResourceChecker,
  document: LoadedDocument,
  schema: Readonly<Record<string, unknown>>,
  path: FieldPath,
): void {
  const annotation = schema['x-telo-ref'];
  if (annotation === undefined) return;
  const at = [...path, 'x-telo-ref'];
  const { findings, lookup, module } = checker;
  const spec = typeof annotation === 'string' ? { kind: annotation, use: 'dependency' } : annotation;
  if (!isRecord(spec)) {
    findings.add(document, {
      code: 'SCHEMA_VIOLATION',
      message: 'x-telo-ref must be a kind, or {kind, use}',
      path: at,
    });
    return;
  }
  const { use } = spec;
  if (use === undefined) {
    const message = 'x-telo-ref must say how the reference is used';
    findings.add(document, {
      code: 'X_TELO_REF_MISSING_USE',
      message,
      path: at,
      hint: `Add use: one of ${USES.join(', ')}.`,
    });
  } else if (typeof use !== 'string' || !USES.includes(use)) {
    const message = `x-telo-ref cannot be used as ${textOf(use)}`;
    findings.add(document, {
      code: 'X_TELO_REF_INVALID_USE',
      message,
      path: [...at, 'use'],
      hint: suggestion(textOf(use), USES),
    });
  }
  for (const kind of [spec['kind']].flat()) {
    if (typeof kind !== 'string' || kind.startsWith('Telo.') || lookup(module, kind).ok) continue;
    const message = `x-telo-ref names the kind ${kind}, which is unknown here`;
    findings.add(document, {
      code: 'X_TELO_REF_UNRESOLVED',
      message,
      path: typeof annotation === 'string' ? at : [...at, 'kind'],
    });
  }
}

function checkZone(
  { findings }: ResourceChecker,
  document: LoadedDocument,
  schema: Readonly<Record<string, unknown>>,
  path: FieldPath,
): void {
  for (const annotation of ['x-telo-provides-zone', 'x-telo-violates-zone']) {
    const spec = schema[annotation];
    if (!isRecord(spec)) continue;
    const at = [...path, annotation];
    const known = annotation === 'x-telo-provides-zone' ? ['key', ...ZONE_ATTRIBUTES] : ZONE_ATTRIBUTES;
    for (const name of Object.keys(spec).filter((one) => !known.includes(one))) {
      const message = `A zone has no attribute ${name}`;
      findings.add(document, {
        code: 'ZONE_ATTRIBUTE_UNKNOWN',
        message,
        path: [...at, name],
        atKey: true,
        hint: suggestion(name, known),
      });
    }
    if (annotation === 'x-telo-provides-zone' && spec['atomic'] !== undefined && spec['noSuspend'] === undefined) {
      const message = 'An atomic zone must promise noSuspend too';
      findings.add(document, { code: 'ZONE_ATTRIBUTE_INCOMPLETE', message, path: at });
    }
  }
}

function checkThrows({ findings }: ResourceChecker, document: LoadedDocument): void {
  const { throws } = document.fields;
  if (throws === undefined) return;
  const codes = isRecord(throws) ? (throws['codes'] ?? {}) : undefined;
  if (!isRecord(codes)) {
    findings.add(document, { code: 'SCHEMA_VIOLATION', message: 'throws must be a map with codes', path: ['throws'] });
    return;
  }
  for (const code of Object.keys(codes).filter((one) => !/^[A-Z][A-Z0-9_]*$/.test(one))) {
    const message = `An error code is written in capitals, digits and underscores: ${code}`;
    findings.add(document, { code: 'SCHEMA_VIOLATION', message, path: ['throws', 'codes', code], atKey: true });
  }
}

function checkControllers({ findings }: ResourceChecker, document: LoadedDocument): void {
  const { controllers } = document.fields;
  for (const [index, purl] of (Array.isArray(controllers) ? controllers : []).entries()) {
    const path = ['controllers', index];
    const found = typeof purl === 'string' ? /^pkg:telo\/local\/(\w+)\?([^#]*)(?:#.*)?$/.exec(purl) : null;
    if (found === null || found[1] !== 'js') {
      const message = `This kernel cannot load the controller ${String(purl)}`;
      const hint = 'Write pkg:telo/local/js?path=./dist/bundle.mjs#Export.';
      findings.add(document, { code: 'CONTROLLER_UNSUPPORTED', message, path, hint });
      continue;
    }
    for (const name of new URLSearchParams(found[2] ?? '').keys()) {
      if (BUNDLE_QUALIFIERS.includes(name)) continue;
      const message = `Unknown qualifier '${name}' of a controller`;
      findings.add(document, {
        code: 'CONTROLLER_UNKNOWN_QUALIFIER',
        message,
        path,
        hint: suggestion(name, BUNDLE_QUALIFIERS),
      });
    }
  }
}

/** A member that a definition of this kind cannot have. Effect: on the findings. */
export function refuseMember({ findings }: ResourceChecker, document: LoadedDocument, member: string): void {
  if (document.fields[member] === undefined) return;
  const message = `${document.kind} cannot have ${member}`;
  findings.add(document, { code: 'SCHEMA_VIOLATION', message, path: [member], atKey: true });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
