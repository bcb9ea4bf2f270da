import { InvokeError } from '@telorun/sdk';

/** Why an operation on a file did not happen; the whole vocabulary, and what each is called in a message. */
const PHRASES = {
  'empty-path': 'the path is empty',
  'absolute-path': 'the path is not relative',
  'lexical-escape': 'the path leaves the root',
  'resolved-escape': 'a symbolic link in the path leads outside the root',
  'outside-limits': 'its place lies outside the path limits of the profile',
  protected: 'this host keeps it out of reach of fragments',
  missing: 'there is no such file or folder',
  directory: 'it is a folder',
  'not-directory': 'a part of the path is not a folder',
  'symbolic-link': 'it is a symbolic link, which is never written through or deleted',
  'special-file': 'it is not a regular file',
  'too-large': 'it is larger than the limit',
  'invalid-utf8': 'it is not valid UTF-8',
  'permission-denied': 'permission is denied',
  'read-only': 'the file system is read-only',
  'too-many-symlinks': 'too many symbolic links lie on the way',
  'path-too-long': 'the path is too long',
  'no-space': 'no space is left',
  'quota-exhausted': 'the quota is exhausted',
  'cross-device': 'it lies on another file system',
  busy: 'it is in use',
  'too-many-open-files': 'too many files are open',
  'operation-failed': 'the operation failed',
} as const;

type FileReason = keyof typeof PHRASES;

type FileVerb = 'read' | 'change' | 'write' | 'delete' | 'create folder';

const HINTS: Partial<Record<FileReason, string>> = {
  missing: 'Check the path, and that the root of the profile exists; Dir makes a folder.',
  'resolved-escape': 'Replace the symbolic link, or name a path that stays inside the root.',
  'outside-limits': 'Name a path that leads where the profile allows it.',
  protected: 'Name another file: manifests, controllers, journals and .telo folders stay out of reach.',
  'symbolic-link': 'Name the file that the link leads to.',
  'too-large': 'Raise fileBytes in the profile, up to its ceiling, or split the file.',
  'permission-denied': 'Give the process access to the file and its folder.',
  'no-space': 'Free space on the file system, then resume the run.',
  'quota-exhausted': 'Raise the quota, then resume the run.',
};

const BY_ERRNO: ReadonlyMap<string, FileReason> = new Map([
  ['ENOENT', 'missing'],
  ['EISDIR', 'directory'],
  ['EEXIST', 'busy'],
  ['ENOTDIR', 'not-directory'],
  ['EACCES', 'permission-denied'],
  ['EPERM', 'permission-denied'],
  ['EROFS', 'read-only'],
  ['ELOOP', 'too-many-symlinks'],
  ['ENAMETOOLONG', 'path-too-long'],
  ['ENOSPC', 'no-space'],
  ['EDQUOT', 'quota-exhausted'],
  ['EXDEV', 'cross-device'],
  ['EBUSY', 'busy'],
  ['ETXTBSY', 'busy'],
  ['EMFILE', 'too-many-open-files'],
  ['ENFILE', 'too-many-open-files'],
  ['EFBIG', 'too-large'],
  ['ENXIO', 'special-file'],
  ['ENODEV', 'special-file'],
]);

/** Stops a walk or an operation for a reason of ours; turned into an InvokeError at the port, and never seen outside. */
export class Obstacle extends Error {
  readonly reason: FileReason;

  constructor(reason: FileReason) {
    super(PHRASES[reason]);
    this.name = 'Obstacle';
    this.reason = reason;
  }
}

/** The `code` of a failed system call, or undefined. Pure. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) {
    return undefined;
  }
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Runs `work`; what stops it becomes an InvokeError that names the authored path and a fixed phrase.
 *
 * The system's own error is not attached as a cause: its message holds absolute paths of the host.
 *
 * @throws InvokeError ERR_XMD_EFFECT {reason, path, hint?}
 * @see kernel-specs/files.md FS-03
 */
export function reporting<T>(verb: FileVerb, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) {
      throw error;
    }
    throw fileProblem(reason, verb, path);
  }
}

/** The refusal of one operation on one file. Pure. */
export function fileProblem(reason: FileReason, verb: FileVerb, path: string): InvokeError {
  const hint = HINTS[reason];
  return new InvokeError('ERR_XMD_EFFECT', `Cannot ${verb} "${path}": ${PHRASES[reason]}`, {
    reason,
    path,
    ...(hint === undefined ? {} : { hint }),
  });
}

function reasonOf(error: unknown): FileReason | undefined {
  if (error instanceof Obstacle) {
    return error.reason;
  }
  const errno = errnoOf(error);
  return errno === undefined ? undefined : (BY_ERRNO.get(errno) ?? 'operation-failed');
}
