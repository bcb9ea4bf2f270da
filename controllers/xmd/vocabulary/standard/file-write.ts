import { fitsBytes } from '../../fragment/characters.ts';
import type { ElementNode, Verdict } from '../../fragment/fragment.ts';
import { refuse } from '../../fragment/refusal.ts';
import type { Operation, PlannedInput, PlanScope } from '../operation.ts';
import { planPath } from '../plan-path.ts';
import { closedProps, PATH_PROP } from '../props-schema.ts';
import { isOnlyFence, planFencedContent } from './fenced.ts';
import { standardIdentity } from './identity.ts';

/** `<File path="notes.md">...</File>`: writes one file. */
export const fileWrite: Operation = Object.freeze<Operation>({
  name: 'File',
  form: 'paired',
  grant: 'write',
  origin: 'standard',
  identity: standardIdentity('File:write'),
  legacy: ['@executablemd/core#File:write'],
  description:
    'Write a text file. `<File path="notes.md">text</File>` writes the exact text; ' +
    'with `fenced` the content is one fenced block, and the lines inside it are written.',
  props: closedProps(
    { path: PATH_PROP, fenced: { type: 'boolean', description: 'Whether the content is one fenced block' } },
    ['path'],
  ),
  content: 'elements',
  braces: 'bytes',
  children: 'first',
  plan(element, scope) {
    const fenced = element.props.get('fenced');
    if (fenced === undefined) {
      return isOnlyFence(element, scope.fragment.text) ? refuse('content', element.place) : planFile(element, scope);
    }
    if (fenced.kind === 'bare' || (fenced.kind === 'json' && fenced.value === true)) {
      const literal = planFencedContent(element, scope.fragment.text);
      return literal.ok ? planFile(element, scope, literal.value) : literal;
    }
    const plain = fenced.kind === 'json' && fenced.value === false;
    return plain ? planFile(element, scope) : refuse('props', element.place);
  },
});

function planFile(element: ElementNode, scope: PlanScope, literal?: string): Verdict<PlannedInput> {
  const path = planPath(element, scope, { access: 'write', others: ['fenced'] });
  if (!path.ok) {
    return path;
  }
  if (!fitsFile(element, scope, literal)) {
    return refuse('limit', element.place);
  }
  const input = { path: path.value };
  return { ok: true, value: literal === undefined ? { input } : { input, literal } };
}

/** Content with elements in it has no size before they are performed. */
function fitsFile(element: ElementNode, scope: PlanScope, literal: string | undefined): boolean {
  if (literal === undefined && element.children.some((child) => child.kind === 'element')) {
    return true;
  }
  const { start, end } = contentRange(element, scope.fragment.text);
  return fitsBytes(literal ?? scope.fragment.text.slice(start, end), scope.limits.fileBytes);
}

/** The content of a paired File: the one line ending behind its opening tag belongs to the tag. Pure. @see F-51 */
function contentRange(element: ElementNode, text: string): { start: number; end: number } {
  return { start: element.contentStart + leadingLineEnd(text, element.contentStart), end: element.contentEnd };
}

/** Length of the line ending at `at`: 0, 1 (LF) or 2 (CR LF). Pure. */
export function leadingLineEnd(text: string, at: number): number {
  if (text[at] === '\n') {
    return 1;
  }
  return text.startsWith('\r\n', at) ? 2 : 0;
}
