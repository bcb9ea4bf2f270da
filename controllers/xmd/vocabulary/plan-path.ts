import type { ElementNode, Prop, Verdict } from '../fragment/fragment.ts';
import { refuse } from '../fragment/refusal.ts';
import type { PathAccess } from '../values/path-limits.ts';
import { joinRelativePath, readRelativePath } from '../values/relative-path.ts';
import type { PathKind } from '../values/relative-path.ts';
import type { PlanScope } from './operation.ts';

/**
 * The `path` prop of an element relative to the root; every prop outside `others` refuses.
 *
 * Pure. A path outside the limits of `access` is class `request`.
 *
 * @see F-54 F-55 F-62
 */
export function planPath(
  element: ElementNode,
  scope: Pick<PlanScope, 'directory' | 'paths'>,
  options: { readonly access: PathAccess; readonly others?: readonly string[] },
): Verdict<string> {
  const kind: PathKind = options.access === 'directory' ? 'directory' : 'file';
  for (const name of element.props.keys()) {
    if (name !== 'path' && options.others?.includes(name) !== true) {
      return refuse('props', element.place);
    }
  }
  const path = readRelativePath(stringOf(element.props.get('path')), kind);
  if (path === undefined) {
    return refuse('props', element.place);
  }
  const value = joinRelativePath(scope.directory, path);
  return scope.paths.permits(options.access, value) ? { ok: true, value } : refuse('request', element.place);
}

/** A string in quotes and a JSON string in braces are the same string. */
function stringOf(prop: Prop | undefined): unknown {
  return prop?.kind === 'string' || prop?.kind === 'json' ? prop.value : undefined;
}
