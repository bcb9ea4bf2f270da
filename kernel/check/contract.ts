import type { LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Reference } from '../manifest/tagged.ts';
import { plainData } from './definition-view.ts';
import type { KindLookup } from './kinds.ts';
import { resolveReference } from './references.ts';
import type { ReferenceTarget } from './references.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema that a target states for what it takes (`inputType`) or answers (`outputType`): its own, else its kind's.
 * Undefined when it states none that can be read without running anything. Pure.
 */
export function contractOf(
  target: ReferenceTarget,
  which: 'inputType' | 'outputType',
  lookup: KindLookup,
): Schema | undefined {
  const { resource, kind } = target;
  const own = resource?.document.fields[which];
  if (resource !== undefined && own !== undefined) return schemaOf(own, resource.module, lookup);
  const type = kind.definition?.document.fields[which] ?? kind.view[which];
  return schemaOf(type, kind.definition?.module, lookup);
}

function schemaOf(type: unknown, module: LoadedModule | undefined, lookup: KindLookup): Schema | undefined {
  if (type instanceof Reference || typeof type === 'string') {
    if (module === undefined) return undefined;
    const reference = typeof type === 'string' ? parsed(type, module) : type;
    const found = resolveReference(module, reference, lookup);
    if (!found.ok || found.target.kind.canonical !== 'Telo.JsonSchema') return undefined;
    return recordOf(found.target.resource?.document.fields['schema']);
  }
  if (!isRecord(type)) return undefined;
  return type['kind'] === 'Telo.JsonSchema' ? recordOf(type['schema']) : recordOf(type);
}

function parsed(text: string, module: LoadedModule): Reference {
  const [first = '', second] = text.split('.');
  const position = module.root.position();
  return second === undefined ? new Reference(first, undefined, position) : new Reference(second, first, position);
}

const plainSchemas = new WeakMap<object, Schema>();

/** One object for each authored schema, so that it is compiled once. */
function recordOf(value: unknown): Schema | undefined {
  if (!isRecord(value)) return undefined;
  const known = plainSchemas.get(value);
  if (known !== undefined) return known;
  const plain = plainData(value);
  if (!isRecord(plain)) return undefined;
  plainSchemas.set(value, plain);
  return plain;
}
