import type { Files } from '../providers/files.ts';
import { dir } from './dir.ts';
import { fileDelete } from './file-delete.ts';
import { fileRead } from './file-read.ts';
import { fileWrite } from './file-write.ts';
import type { Performer } from './performer.ts';

/** The standard operations over one set of files, by the key of their identity. Pure. */
export function standardPerformers(files: Files): ReadonlyMap<string, Performer> {
  return new Map([
    ['File:read', fileRead(files)],
    ['File:write', fileWrite(files)],
    ['Dir', dir(files)],
    ['File.Delete', fileDelete(files)],
  ]);
}
