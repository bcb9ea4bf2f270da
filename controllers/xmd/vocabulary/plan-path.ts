import type { ElementNode, Prop, Verdict } from '../fragment/fragment.ts';
import { refuse } from '../fragment/refusal.ts';
import { joinRelativePath, readRelativePath } from '../values/relative-path.ts';
import type { PathKind } from '../values/relative-path.ts';
import type { PlanScope } from './operation.ts';

/** The `path` prop of an element relative to the root; every prop outside `others` refuses. Pure. @see F-54 F-55 */
export function planPath(
  element: ElementNode,
  scope: Pick<PlanScope, 'directory'>,
  options: { readonly kind: PathKind; readonly others?: readonly string[] },
): Verdict<string> {
  for (const name of element.props.keys()) {
    if (name !== 'path' && options.others?.includes(name) !== true) {
      return refuse('props', element.place);
    }
  }
  const path = readRelativePath(stringOf(element.props.get('path')), options.kind);
  if (path === undefined) {
    return refuse('props', element.place);
  }
  return { ok: true, value: joinRelativePath(scope.directory, path) };
}

/** A string in quotes and a JSON string in braces are the same string. */
function stringOf(prop: Prop | undefined): unknown {
  return prop?.kind === 'string' || prop?.kind === 'json' ? prop.value : undefined;
}
