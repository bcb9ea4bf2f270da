import { Obstacle } from './file-problem.ts';

/** Folders that one path may go through; each is held open while the last is used. */
export const PATH_PARTS_MAX = 256;

const PATH_UNITS_MAX = 4_096;
const FORBIDDEN = /[\p{Cc}\\]/u;
const DRIVE = /^[A-Za-z]:/;

/**
 * Splits a relative POSIX path into its parts, `.` and empty ones left out.
 *
 * Pure. Preflight has checked the path already; this check trusts nobody.
 *
 * @see kernel-specs/files.md FS-02
 */
export function relativeParts(path: string): readonly string[] {
  if (path === '') {
    throw new Obstacle('empty-path');
  }
  if (path.startsWith('/') || DRIVE.test(path)) {
    throw new Obstacle('absolute-path');
  }
  if (FORBIDDEN.test(path)) {
    throw new Obstacle('operation-failed');
  }
  if (path.length > PATH_UNITS_MAX) {
    throw new Obstacle('path-too-long');
  }
  const parts = linkParts(path);
  if (parts.includes('..')) {
    throw new Obstacle('lexical-escape');
  }
  if (parts.length > PATH_PARTS_MAX) {
    throw new Obstacle('path-too-long');
  }
  return parts;
}

/** Splits the target of a link, in which `..` has a meaning. Pure. */
export function linkParts(target: string): string[] {
  // Most paths are read by the thousand, and have one part.
  if (!target.includes('/') && target !== '' && target !== '.') {
    return [target];
  }
  return target.split('/').filter((part) => part !== '' && part !== '.');
}
