import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openHostFiles, type HostFilesOptions } from '../../../../controllers/xmd/providers/host-files.ts';
import type { Files } from '../../../../controllers/xmd/providers/files.ts';

export interface HostFolder {
  /** Folder that holds `root` and everything beside it. */
  readonly base: string;
  readonly root: string;
  readonly files: Files;
}

/** A fresh root with these files, removed when the test ends. Keys that begin with `../` lie beside the root. */
export function hostFolder(contents: Record<string, string> = {}, options: Partial<HostFilesOptions> = {}): HostFolder {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'xmd-files-')));
  const root = join(base, 'root');
  mkdirSync(root);
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return { base, root, files: openHostFiles({ root, protectedPaths: () => [], ...options }) };
}

/** What `work` refuses with: its code and reason, or `done`. */
export function reasonOf(work: () => unknown): unknown {
  try {
    work();
    return 'done';
  } catch (error) {
    if (typeof error !== 'object' || error === null || !('data' in error)) {
      throw error;
    }
    const { data } = error;
    return typeof data === 'object' && data !== null && 'reason' in data ? data.reason : error;
  }
}

export const LIMIT = { maxBytes: 1_048_576 };
