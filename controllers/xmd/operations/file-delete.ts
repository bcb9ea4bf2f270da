import type { FileObservation, Files } from '../providers/files.ts';
import { atEffect, plannedPath } from './effect-problem.ts';
import type { Performer } from './performer.ts';
import { changeOnce } from './pre-image.ts';

const reached = (now: FileObservation): boolean => 'absent' in now;

/** `<File.Delete path="a" />`: the file is absent. Answers null, renders nothing. @see kernel-specs/files.md FS-57 */
export function fileDelete(files: Files): Performer {
  return {
    perform: async (effect, scope) => {
      scope.cancellation.throwIfCancelled();
      const path = plannedPath(effect);
      await changeOnce({ files, path, access: 'delete', reached }, scope, () => {
        scope.cancellation.throwIfCancelled();
        atEffect(scope.path, () => files.remove(path, () => scope.durable?.confirmClaim?.()));
      });
      return null;
    },
    render: () => '',
  };
}
