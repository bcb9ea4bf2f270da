import { InvokeError } from '@telorun/sdk';

const SUFFIX = '.ndjson';
/** What file systems take for one name, less what the longest suffix of ours adds. */
const NAME_BYTES_MAX = 240;

/**
 * The name of a run's file, without its suffix. Pure.
 *
 * @throws InvokeError ERR_DURABLE_RUN_ID_INVALID for an id that no file can be named after
 */
export function stemOf(run: string): string {
  const stem = encoded(run);
  if (stem !== undefined && stem.length <= NAME_BYTES_MAX) return stem;
  throw new InvokeError('ERR_DURABLE_RUN_ID_INVALID', 'Cannot name a journal file after this run id', {
    hint: `Choose an id of valid characters whose spelling in a URL has at most ${String(NAME_BYTES_MAX)} bytes.`,
  });
}

/** The run that a file of this name belongs to; undefined for a name that no run has. Pure. */
export function runOfName(name: string): string | undefined {
  if (!name.endsWith(SUFFIX)) return undefined;
  const stem = name.slice(0, -SUFFIX.length);
  try {
    const run = decodeURIComponent(stem);
    return encodeURIComponent(run) === stem ? run : undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

export function fileName(stem: string): string {
  return `${stem}${SUFFIX}`;
}

/** Nothing for a text with half a surrogate pair. */
function encoded(run: string): string | undefined {
  try {
    return encodeURIComponent(run);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
