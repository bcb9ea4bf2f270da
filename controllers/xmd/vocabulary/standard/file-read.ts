import type { Operation } from '../operation.ts';
import { planPath } from '../plan-path.ts';
import { closedProps, PATH_PROP } from '../props-schema.ts';
import { standardIdentity } from './identity.ts';

/** `<File path="notes.md" />`: reads one text file. */
export const fileRead: Operation = Object.freeze<Operation>({
  name: 'File',
  form: 'self-closing',
  grant: 'read',
  origin: 'standard',
  identity: standardIdentity('File:read'),
  legacy: ['@executablemd/core#File:read'],
  description: 'Read a text file. `<File path="notes.md" />` renders its text.',
  props: closedProps({ path: PATH_PROP }, ['path']),
  content: 'none',
  braces: 'prose',
  children: 'none',
  plan(element, scope) {
    const path = planPath(element, scope, { access: 'read' });
    return path.ok ? { ok: true, value: { input: { path: path.value } } } : path;
  },
});
