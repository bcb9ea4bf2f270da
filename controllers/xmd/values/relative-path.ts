/** C0, DEL and C1, and the backslash. */
const FORBIDDEN = /[\p{Cc}\\]/u;
/** An empty segment, `.` or `..`. */
const SPECIAL_SEGMENT = /(?:^|\/)\.{0,2}(?:\/|$)/;
const DRIVE = /^[A-Za-z]:/;

/** What a path may name: a file needs a name of its own, a directory may be `.` and may end in `/`. */
export type PathKind = 'file' | 'directory';

/**
 * Reads a relative POSIX path; answers it without `.` segments and repeated slashes, `.` for the directory itself.
 *
 * Pure. Empty, absolute, with a `..` segment, a drive letter, a backslash or a control character: undefined, and so
 * is a path of a file that ends like a directory's.
 *
 * @see F-55
 */
export function readRelativePath(value: unknown, kind: PathKind): string | undefined {
  if (
    typeof value !== 'string' ||
    value === '' ||
    value.startsWith('/') ||
    DRIVE.test(value) ||
    FORBIDDEN.test(value)
  ) {
    return undefined;
  }
  return SPECIAL_SEGMENT.test(value) ? withoutEmptySegments(value, kind) : value;
}

function withoutEmptySegments(value: string, kind: PathKind): string | undefined {
  const written = value.split('/');
  const last = written.at(-1);
  if (written.includes('..') || (kind === 'file' && (last === '' || last === '.'))) {
    return undefined;
  }
  const segments = written.filter((segment) => segment !== '' && segment !== '.');
  const path = segments.length === 0 ? '.' : segments.join('/');
  // What stood behind `./` stands first now.
  return DRIVE.test(path) ? undefined : path;
}

/** A path below a directory, both as `readRelativePath` answers them; the root is ''. Pure. */
export function joinRelativePath(directory: string, path: string): string {
  if (directory === '' || path === '.') {
    return directory === '' ? path : directory;
  }
  return `${directory}/${path}`;
}
