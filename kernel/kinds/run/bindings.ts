import { InvokeError } from '@telorun/sdk';
import type { ResourceContext } from '@telorun/sdk';
import { leavesOf } from '../../graph/leaves.ts';
import { plainObject } from '../../graph/plain.ts';
import { Expression } from '../../manifest/tagged.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Answers what expands values with the bindings they name, each evaluated once, after those it names itself.
 *
 * Pure. A binding that nothing names is not evaluated. What the scope has already, a binding does not replace.
 *
 * @throws InvokeError ERR_BINDING_CYCLE, from what it answers
 */
export function withBindings(
  ctx: ResourceContext,
  options: { bindings: unknown; scope: Values },
): (value: unknown) => unknown {
  if (options.bindings === undefined) return (value) => ctx.expandValue(value, options.scope);
  const bindings = plainObject(options.bindings);
  const scope: Record<string, unknown> = { ...options.scope };
  const open: string[] = [];
  const bind = (within: unknown): void => {
    for (const name of namesIn(within)) {
      if (Object.hasOwn(scope, name) || !Object.hasOwn(bindings, name)) continue;
      if (open.includes(name)) throw bindingCycle([...open, name]);
      open.push(name);
      bind(bindings[name]);
      scope[name] = ctx.expandValue(bindings[name], scope);
      open.pop();
    }
  };
  return (value) => {
    bind(value);
    return ctx.expandValue(value, scope);
  };
}

function namesIn(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  for (const leaf of leavesOf(value)) if (leaf instanceof Expression) for (const root of leaf.roots) names.add(root);
  return names;
}

function bindingCycle(names: readonly string[]): InvokeError {
  return new InvokeError(
    'ERR_BINDING_CYCLE',
    `Cannot evaluate binding "${names[0] ?? ''}": ${names.join(' → ')} name each other`,
    {
      bindings: names,
      hint: 'Break the circle: one binding must not name the next.',
    },
  );
}
