import type { Files } from '../providers/files.ts';
import { atEffect, plannedPath } from './effect-problem.ts';
import type { Performer } from './performer.ts';

/** `<Dir path="a">...</Dir>`: the folder is there. Answers null, renders its content. @see kernel-specs/files.md FS-58 */
export function dir(files: Files): Performer {
  return {
    perform: async (effect, scope) => {
      scope.cancellation.throwIfCancelled();
      atEffect(scope.path, () => files.ensureDirectory(plannedPath(effect)));
      return null;
    },
    render: (_value, content) => content,
  };
}
