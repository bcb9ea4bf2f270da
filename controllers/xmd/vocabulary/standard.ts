import type { Operation } from './operation.ts';
import type { RequestLimit } from '../values/request-limit.ts';
import { dir } from './standard/dir.ts';
import { fetchOperation } from './standard/fetch.ts';
import { fileDelete } from './standard/file-delete.ts';
import { fileRead } from './standard/file-read.ts';
import { fileWrite } from './standard/file-write.ts';

/** The standard operations, in the order policies list them; Fetch where requests are stated. Pure. @see E3 */
export function standardOperations(requests: readonly RequestLimit[]): readonly Operation[] {
  const fetching = requests.length === 0 ? [] : [fetchOperation(requests)];
  return [fileRead, ...fetching, fileWrite, dir, fileDelete];
}
