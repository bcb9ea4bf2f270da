import type { Operation } from './operation.ts';
import { dir } from './standard/dir.ts';
import { fileDelete } from './standard/file-delete.ts';
import { fileRead } from './standard/file-read.ts';
import { fileWrite } from './standard/file-write.ts';

/** The standard operations, in the order policies list them. @see E3 */
export const STANDARD_OPERATIONS: readonly Operation[] = Object.freeze([fileRead, fileWrite, dir, fileDelete]);
