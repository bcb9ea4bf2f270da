import { isInvocable } from '../dispatch.ts';
import { isKindRef } from './target.ts';
import { isObject, readSteps, type Step } from './step.ts';

/** A step that declares the resource it invokes in place, and the name that resource gets. */
interface InlineInvoke {
  readonly step: Step;
  readonly name: string;
}

function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

function isInline(value: unknown): boolean {
  return isObject(value) && typeof value['kind'] === 'string' && !isKindRef(value) && !isInvocable(value);
}

function nestedBodies(step: Step): readonly (readonly [string, unknown])[] {
  const branches: readonly unknown[] = Array.isArray(step.elseif) ? step.elseif : [];
  return [
    ['Then', step.then],
    ...branches.map((branch, index) => [`Elseif${index}Then`, isObject(branch) ? branch['then'] : undefined] as const),
    ['Else', step.else],
    ['Do', step.do],
    ...Object.entries(isObject(step.cases) ? step.cases : {}).map(
      ([key, body]) => [`Cases${pascal(key)}`, body] as const,
    ),
    ['Default', step.default],
    ['Try', step.try],
    ['Catch', step.catch],
    ['Finally', step.finally],
  ];
}

/**
 * Every step below `steps` that invokes an inline resource, with the resource's name: kind, resource, place, step, each
 * in Pascal case (`SequenceMainSteps0Fetch`).
 *
 * Pure.
 */
export function inlineInvokes(steps: unknown, owner: { readonly kind: string; readonly resourceName: string }) {
  const found: InlineInvoke[] = [];
  const prefix = `${pascal(owner.kind.slice(owner.kind.lastIndexOf('.') + 1))}${pascal(owner.resourceName)}`;
  const pending: { readonly body: unknown; readonly place: string }[] = [{ body: steps, place: 'Steps' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [index, { step }] of readSteps(next.body).entries()) {
      const place = `${next.place}${index}`;
      if (isInline(step.invoke)) found.push({ step, name: `${prefix}${place}${pascal(step.name)}` });
      for (const [segment, body] of nestedBodies(step)) {
        if (body !== undefined) pending.push({ body, place: `${place}${segment}` });
      }
    }
  }
  return found;
}
