import type { Files } from '../providers/files.ts';
import type { Http } from '../providers/http.ts';
import { dir } from './dir.ts';
import { fetchRequest } from './fetch.ts';
import { fileDelete } from './file-delete.ts';
import { fileRead } from './file-read.ts';
import { fileWrite } from './file-write.ts';
import type { Performer } from './performer.ts';

/** The standard operations over one set of files, by the key of their identity; Fetch where there is HTTP. Pure. */
export function standardPerformers(files: Files, http?: Http): ReadonlyMap<string, Performer> {
  return new Map([
    ['File:read', fileRead(files)],
    ...(http === undefined ? [] : [['Fetch', fetchRequest(http)] as const]),
    ['File:write', fileWrite(files)],
    ['Dir', dir(files)],
    ['File.Delete', fileDelete(files)],
  ]);
}
