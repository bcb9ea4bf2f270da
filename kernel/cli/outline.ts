import { isInvokeError } from '@telorun/sdk';
import type { JournalEntry } from '@telorun/sdk/journal';
import { isAdmission } from './entry-path.ts';
import { type Outlined, xmdBundle } from './xmd-bundle.ts';

/** What each effect of the admitted fragments was asked to do, by step path. */
export type Outline = ReadonlyMap<string, unknown>;

/** Reads from recorded admissions what their effects are asked to do. Effect: loads the Xmd bundle where there is one. */
export async function outlineOf(entries: readonly JournalEntry[]): Promise<Outline> {
  const outline = new Map<string, unknown>();
  const admissions = entries.filter((entry) => entry.kind === 'decision' && isAdmission(entry.path));
  if (admissions.length === 0) return outline;
  const bundle = await xmdBundle();
  for (const { path, value } of admissions) {
    const base = path.slice(0, path.lastIndexOf('/'));
    for (const element of elementsOf(value, bundle.outlineAdmission))
      outline.set(`${base}/${element.path}`, element.input);
  }
  return outline;
}

/** An altered record is shown without its elements; resuming the run says what is wrong with it. */
function elementsOf(
  record: unknown,
  outlineAdmission: (record: unknown) => readonly Outlined[] | undefined,
): readonly Outlined[] {
  try {
    return outlineAdmission(record) ?? [];
  } catch (error) {
    if (isInvokeError(error)) return [];
    throw error;
  }
}
