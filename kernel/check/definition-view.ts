import type { LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import type { Capability, KindDefinition } from '../kinds/kind.ts';
import type { KindView, ResolvedKind } from './kinds.ts';

export const CAPABILITIES: readonly Capability[] = [
  'Telo.Service',
  'Telo.Runnable',
  'Telo.Invocable',
  'Telo.Provider',
  'Telo.Mount',
  'Telo.Type',
  'Telo.Sink',
];

/** Members of a definition whose kind is a template. */
export const TEMPLATE: readonly string[] = [
  'resources',
  'invoke',
  'run',
  'provide',
  'mount',
  'inputs',
  'result',
  'base',
];

/** The kinds a definition says it extends, as authored. Pure. */
export function parentNames(document: LoadedDocument): readonly string[] {
  return [document.fields['extends']].flat().filter((one) => typeof one === 'string');
}

/** What a Telo.Definition or Telo.Abstract states about its kind; what it leaves out comes from its parents. Pure. */
export function definitionView(
  module: LoadedModule,
  document: LoadedDocument,
  parents: readonly ResolvedKind[],
): KindView {
  const { fields, metadata } = document;
  const { description } = metadata;
  const inherited = parents.map((parent) => parent.view);
  const inputType = fields['inputType'] ?? inherited.find((view) => view.inputType !== undefined)?.inputType;
  const outputType = fields['outputType'] ?? inherited.find((view) => view.outputType !== undefined)?.outputType;
  const throws = readThrows(fields['throws']);
  const schema = plainData(fields['schema']);
  return {
    module: module.name,
    name: document.name,
    description: typeof description === 'string' ? description : '',
    capability: capabilityOf(fields['capability']) ?? inherited[0]?.capability ?? 'Telo.Invocable',
    ...(parents.length === 0 ? {} : { extends: parents.map((parent) => parent.canonical) }),
    ...(document.kind === 'Telo.Abstract' ? { abstract: true } : {}),
    schema: isRecord(schema) ? schema : { type: 'object' },
    ...(inputType === undefined ? {} : { inputType: plainData(inputType) }),
    ...(outputType === undefined ? {} : { outputType: plainData(outputType) }),
    ...(throws === undefined ? {} : { throws }),
  };
}

export function capabilityOf(value: unknown): Capability | undefined {
  return CAPABILITIES.find((capability) => capability === value);
}

/** Tagged scalars as what was written: a schema is data, whatever its texts look like. Pure. */
export function plainData(value: unknown): unknown {
  if (value instanceof Expression) return value.source;
  if (value instanceof Reference) return value.text;
  if (Array.isArray(value)) return value.map(plainData);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainData(member)]));
}

function readThrows(value: unknown): KindDefinition['throws'] | undefined {
  const throwing = plainData(value);
  if (!isRecord(throwing)) return undefined;
  const { codes, inherit, passthrough } = throwing;
  return {
    ...(isRecord(codes) ? { codes: Object.fromEntries(Object.entries(codes).map(describedCode)) } : {}),
    ...(typeof inherit === 'boolean' ? { inherit } : {}),
    ...(typeof passthrough === 'boolean' ? { passthrough } : {}),
  };
}

function describedCode([code, value]: [string, unknown]): [string, { readonly description?: string }] {
  const description = isRecord(value) ? value['description'] : undefined;
  return [code, typeof description === 'string' ? { description } : {}];
}
