import type { PathAccess } from '../values/path-limits.ts';

/** What is at a path before it is changed: nothing, or a regular file with these bytes and permission bits. */
export type FileObservation = { readonly absent: true } | { readonly sha256: string; readonly mode: number };

/** What stands at a path, for someone who is asked about it beforehand. */
export interface FileInspection {
  /** Where it really is, relative to the root, every link on the way resolved, also where the way ends before it. */
  readonly place: string;
  readonly found: FileObservation;
  /** Size and bytes of a regular file, from the same reading as `found`; the bytes only up to `maxBytes`. */
  readonly size?: number;
  readonly bytes?: Uint8Array;
}

/**
 * Files below one root, as fragments reach them. Paths are relative POSIX paths, checked again by every implementation.
 *
 * Every member is synchronous: a pre-image is read inside a decision, and a local file costs less than a thread's turn.
 * Each refuses with InvokeError ERR_XMD_EFFECT `{reason, path}`, `reason` one of those that FS-01 lists.
 *
 * @see kernel-specs/files.md
 */
export interface Files {
  /** `handles`: no change made meanwhile can lead outside. `verified`: looked at after opening, which a racing writer can beat. */
  readonly guarantee: 'handles' | 'verified';
  /** Effect: reads one file, links inside the root followed. Answers its text, a BOM included. */
  read(path: string, limit: { readonly maxBytes: number }): string;
  /** Effect: reads what a write or a removal at `path` would replace. The last component is never followed. */
  observe(path: string): FileObservation;
  /** Effect: looks at what an access to `path` would find, the last component followed as that access follows it. */
  inspect(path: string, options: { readonly access: PathAccess; readonly maxBytes: number }): FileInspection;
  /**
   * Effect: replaces or creates one file atomically, its parents created. On return it survives power loss. `confirm` is
   * called right before the replacement; what it throws passes, and nothing is replaced.
   */
  write(path: string, text: string, confirm?: () => void): void;
  /** Effect: removes one regular file; absent is done already. `confirm` is called right before the removal. */
  remove(path: string, confirm?: () => void): void;
  /** Effect: creates a folder and its parents where they are missing. */
  ensureDirectory(path: string): void;
  /** Effect: makes a change at `path` that a former process may have left unflushed survive power loss. */
  persist(path: string): void;
}
