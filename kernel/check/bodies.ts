import { isRecord } from '../manifest/record.ts';
import type { ExpressionScope } from './expressions.ts';
import type { ResolvedKind } from './kinds.ts';
import type { Place } from './schema-walk.ts';
import { stepNames } from './step-grammar.ts';

/** What the expressions of a kind's step bodies see, from the fields that kinds with bodies have. Pure. */
export function bodyScope(kind: ResolvedKind, configuration: Readonly<Record<string, unknown>>): ExpressionScope {
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
