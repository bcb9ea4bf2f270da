import type { Operation } from '../operation.ts';
import { planPath } from '../plan-path.ts';
import { closedProps, PATH_PROP } from '../props-schema.ts';
import { standardIdentity } from './identity.ts';

/** `<File.Delete path="draft.md" />`: removes one file. */
export const fileDelete: Operation = Object.freeze<Operation>({
  name: 'File.Delete',
  form: 'self-closing',
  grant: 'write',
  origin: 'standard',
  identity: standardIdentity('File.Delete'),
  legacy: ['@executablemd/core#File.Delete'],
  description: 'Remove a file. `<File.Delete path="draft.md" />` succeeds when there is none.',
  props: closedProps({ path: PATH_PROP }, ['path']),
  content: 'none',
  braces: 'prose',
  children: 'none',
  plan(element, scope) {
    const path = planPath(element, scope, { access: 'delete' });
    return path.ok ? { ok: true, value: { input: { path: path.value } } } : path;
  },
});
