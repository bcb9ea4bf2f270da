import type { Operation } from '../operation.ts';
import { planPath } from '../plan-path.ts';
import { closedProps, PATH_PROP } from '../props-schema.ts';
import { standardIdentity } from './identity.ts';

/** `<Dir path="docs">...</Dir>`: creates a directory; elements inside are relative to it. */
export const dir: Operation = Object.freeze<Operation>({
  name: 'Dir',
  form: 'paired',
  grant: 'write',
  origin: 'standard',
  identity: standardIdentity('Dir'),
  legacy: ['@executablemd/workflow/composition/dir-v2#Dir'],
  description: 'Create a directory. Paths of the elements inside `<Dir path="docs">...</Dir>` are relative to it.',
  props: closedProps({ path: PATH_PROP }, ['path']),
  content: 'elements',
  braces: 'prose',
  children: 'after',
  plan(element, scope) {
    const path = planPath(element, scope, { access: 'directory' });
    if (!path.ok) {
      return path;
    }
    const directory = path.value === '.' ? '' : path.value;
    return { ok: true, value: { input: { path: path.value }, directory } };
  },
});
