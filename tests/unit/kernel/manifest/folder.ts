import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { loadManifest } from '../../../../kernel/manifest/load.ts';
import type { LoadedModule, LoadResult } from '../../../../kernel/manifest/model.ts';

const BUILTINS = new Set(['Run', 'Durable', 'DurableLocal', 'Console', 'Assert']);

/** A folder of files that is gone when the test has ended. */
export function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'manifest-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return root;
}

export async function load(files: Readonly<Record<string, string | Uint8Array>>, entry = ''): Promise<LoadResult> {
  return loadManifest(path.join(folder(files), entry), { builtins: BUILTINS });
}

/** `line:column CODE` of each finding, the file's name in front when it is not telo.yaml. */
export function places(result: LoadResult): string[] {
  return result.diagnostics.map(({ position, code }) => {
    const name = path.basename(position.file);
    return `${name === 'telo.yaml' ? '' : `${name}:`}${position.line}:${position.column} ${code}`;
  });
}

/** The module of a manifest that must be sound. */
export function sound(result: LoadResult): LoadedModule {
  const [first] = result.diagnostics;
  if (first !== undefined) throw new Error(`${first.code} at ${first.position.line}: ${first.message}`);
  if (result.module === undefined) throw new Error('No module was loaded');
  return result.module;
}

export const APP = 'kind: Telo.Application\nmetadata: { name: App }\n';
export const LIB = 'kind: Telo.Library\nmetadata: { name: Lib }\n';
