import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunRecord, WholeRun } from '@telorun/sdk/journal';
import { packageFile } from '../package-root.ts';

interface TransferBundle {
  readonly exportedRun: (whole: WholeRun, now: number) => readonly string[];
  readonly importedRun: (bytes: Uint8Array, options: { file: string; now: number }) => WholeRun;
}

/** What spells a run as a file and reads it again, from the same bundle that manifests load. Effect. */
export async function transferBundle(): Promise<TransferBundle> {
  const bundled: TransferBundle = await import(
    pathToFileURL(packageFile('dist', 'controllers', 'journal-file.mjs')).href
  );
  return bundled;
}

/** A record names its manifest from where it lies; the same manifest, named from another folder. Pure. */
export function withProgramFrom(record: RunRecord, folders: { from: string; to: string }): RunRecord {
  const { program } = record;
  if (program === undefined) return record;
  const manifest = relative(folders.to, resolve(folders.from, program.manifest));
  return { ...record, program: { ...program, manifest } };
}

/** The folder that a file of an export names its manifest from: its own, or the working one for a stream. Pure. */
export function folderOfExport(file: string | undefined, cwd: string): string {
  return file === undefined ? cwd : dirname(resolve(cwd, file));
}
