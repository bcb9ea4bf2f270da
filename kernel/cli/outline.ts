import { pathToFileURL } from 'node:url';
import { isInvokeError } from '@telorun/sdk';
import type { JournalEntry } from '@telorun/sdk/journal';
import { isAdmission } from './entry-path.ts';
import { packageFile } from './package-root.ts';

/** What each effect of the admitted fragments was asked to do, by step path. */
export type Outline = ReadonlyMap<string, unknown>;

interface XmdBundle {
  readonly Preflight: {
    outlineAdmission(record: unknown): readonly { readonly path: string; readonly input: unknown }[] | undefined;
  };
}

/** Reads from recorded admissions what their effects are asked to do. Effect: loads the Xmd bundle where there is one. */
export async function outlineOf(entries: readonly JournalEntry[]): Promise<Outline> {
  const outline = new Map<string, unknown>();
  const admissions = entries.filter((entry) => entry.kind === 'decision' && isAdmission(entry.path));
  if (admissions.length === 0) return outline;
  const { Preflight }: XmdBundle = await import(pathToFileURL(packageFile('manifests', 'xmd', 'dist', 'xmd.mjs')).href);
  for (const { path, value } of admissions) {
    const base = path.slice(0, path.lastIndexOf('/'));
    for (const element of elementsOf(value, Preflight)) outline.set(`${base}/${element.path}`, element.input);
  }
  return outline;
}

/** An altered record is shown without its elements; resuming the run says what is wrong with it. */
function elementsOf(record: unknown, { outlineAdmission }: XmdBundle['Preflight']): ReturnType<typeof listed> {
  try {
    return listed(outlineAdmission(record));
  } catch (error) {
    if (isInvokeError(error)) return [];
    throw error;
  }
}

function listed(
  elements: ReturnType<XmdBundle['Preflight']['outlineAdmission']>,
): readonly { readonly path: string; readonly input: unknown }[] {
  return elements ?? [];
}
