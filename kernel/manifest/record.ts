import { Expression, Reference } from './tagged.ts';

/** Whether `value` is a map of a manifest: neither a list nor a tagged scalar. Pure. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Expression) &&
    !(value instanceof Reference)
  );
}

/** `steps[0].invoke`. Pure. */
export function pathText(path: readonly (string | number)[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}
