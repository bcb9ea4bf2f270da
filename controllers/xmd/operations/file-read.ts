import type { Files } from '../providers/files.ts';
import { atEffect, plannedPath } from './effect-problem.ts';
import type { Performer } from './performer.ts';

/** `<File path="a" />`: answers the text of a file, which is also what it renders. @see kernel-specs/files.md FS-50 */
export function fileRead(files: Files): Performer {
  return {
    perform: async (effect, scope) => {
      scope.cancellation.throwIfCancelled();
      const maxBytes = scope.limits.fileBytes;
      return atEffect(scope.path, () => files.read(plannedPath(effect), { maxBytes }));
    },
    render: (value) => (typeof value === 'string' ? value : ''),
  };
}
