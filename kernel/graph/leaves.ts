import { Expression, Reference } from '../manifest/tagged.ts';
import { isPlainObject } from './plain.ts';

/** Every reference and expression inside `value`, in authored order. Pure. */
export function* leavesOf(value: unknown): Generator<Reference | Expression> {
  if (value instanceof Reference || value instanceof Expression) {
    yield value;
  } else if (Array.isArray(value)) {
    for (const item of value) yield* leavesOf(item);
  } else if (isPlainObject(value)) {
    for (const item of Object.values(value)) yield* leavesOf(item);
  }
}

const READS_RESOURCE = /\bresources\s*(?:\.\s*\??\s*([A-Za-z_]\w*)|\[\s*\??\s*(?:"([^"]*)"|'([^']*)')\s*\])/g;

/** Names that `expression` reads from `resources`. Pure. A text scan: a name inside a string literal only orders more. */
export function resourcesRead(expression: Expression): readonly string[] {
  if (!expression.roots.has('resources')) return [];
  const names = new Set<string>();
  for (const match of expression.source.matchAll(READS_RESOURCE)) {
    const name = match[1] ?? match[2] ?? match[3];
    if (name !== undefined) names.add(name);
  }
  return [...names];
}
