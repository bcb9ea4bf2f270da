import { createHash } from 'node:crypto';
import type { FileObservation, Files } from '../providers/files.ts';
import { fileProblem } from '../providers/file-problem.ts';
import { atEffect, contentConflict, plannedPath } from './effect-problem.ts';
import type { Performer } from './performer.ts';
import { changeOnce } from './pre-image.ts';

/**
 * `<File path="a">text</File>`: the file holds exactly the content. Answers null, renders nothing.
 *
 * @see kernel-specs/files.md FS-51 to FS-56
 */
export function fileWrite(files: Files): Performer {
  return {
    perform: async (effect, scope) => {
      scope.cancellation.throwIfCancelled();
      const path = plannedPath(effect);
      const text = scope.content;
      if (Buffer.byteLength(text) > scope.limits.fileBytes) {
        return atEffect(scope.path, () => {
          throw fileProblem('too-large', 'write', path);
        });
      }
      const sha256 = createHash('sha256').update(text).digest('hex');
      const approved = scope.approved?.content ?? sha256;
      if (approved !== sha256) {
        throw contentConflict(scope.path, path);
      }
      const reached = (now: FileObservation, before: FileObservation): boolean => leaves(sha256, now, before);
      await changeOnce({ files, path, access: 'write', reached }, scope, () => {
        scope.cancellation.throwIfCancelled();
        atEffect(scope.path, () => files.write(path, text, () => scope.durable?.confirmClaim?.()));
      });
      return null;
    },
    render: () => '',
  };
}

/** The wanted text is there, under the mode that the replaced file had. */
function leaves(sha256: string, now: FileObservation, before: FileObservation): boolean {
  if ('absent' in now || now.sha256 !== sha256) {
    return false;
  }
  return 'absent' in before || before.mode === now.mode;
}
