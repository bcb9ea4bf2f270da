import type { WaitRecord } from '@telorun/sdk/journal';
import type { Paint } from './paint.ts';
import { paintDiffs } from './paint-diff.ts';
import { jsonText, printableLines } from './printable.ts';

/** What a wait asks of a person, its own lines kept and what could deceive escaped; none where it asks nothing. Pure. */
export function requestLines({ request }: WaitRecord, paint: Paint): readonly string[] {
  if (request === undefined) return [];
  const text = typeof request === 'string' ? request : jsonText(request, 2);
  const lines = printableLines(text.replace(/\n$/, '')).split('\n');
  return paintDiffs(lines, paint).map((line) => `  ${line}`);
}
