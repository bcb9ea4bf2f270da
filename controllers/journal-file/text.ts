import { randomBytes } from 'node:crypto';
import { encodeJsonValue } from '@telorun/sdk';
import { UnreadableRecord } from '../journal-sqlite/errors.ts';
import { toText } from '../journal-sqlite/values.ts';

/** Containers inside one another that a record may have. */
const DEPTH_MAX = 2_000;

// A text that no value holds by accident stands for an integer until its digits are put there.
const MARK = `integer:${randomBytes(16).toString('hex')}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

export interface KeptText {
  /** As Telo writes it: plain JSON, an integer beyond JSON as its digits. Undefined for no value. */
  readonly plain: string | undefined;
  /** What reads back as the very value, where `plain` does not. */
  readonly exact: string | undefined;
}

/** The text that a value is kept as. Pure. @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE */
export function keptText(value: unknown, where: { readonly run: string; readonly path: string }): KeptText {
  const exact = toText(value, where);
  if (exact === null) return { plain: undefined, exact: undefined };
  if (encodeJsonValue(value) === value) return { plain: exact, exact: undefined };
  let integers = false;
  const marked = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member !== 'bigint') return member;
    integers = true;
    return `${MARK}${String(member)}`;
  });
  return integers ? { plain: marked.replace(MARKED, '$1'), exact } : { plain: marked, exact: undefined };
}

/** The data in one line. Pure. Throws UnreadableRecord for what is no JSON, or nested beyond reason. */
export function parseLine(line: string): unknown {
  if (isDeeper(line, DEPTH_MAX)) throw new UnreadableRecord('it is nested too deeply');
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new UnreadableRecord('it is not JSON', {}, { cause: error });
  }
}

/** Whether containers are nested deeper than `most`. Linear in the text; nothing for a text with few of them. Pure. */
function isDeeper(text: string, most: number): boolean {
  if (!holdsMore(text, most)) return false;
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const one = text[index];
    if (quoted) {
      if (one === '\\') index += 1;
      else if (one === '"') quoted = false;
    } else if (one === '"') quoted = true;
    else if (one === '{' || one === '[') {
      depth += 1;
      if (depth > most) return true;
    } else if (one === '}' || one === ']') depth -= 1;
  }
  return false;
}

function holdsMore(text: string, most: number): boolean {
  let count = 0;
  for (const opening of ['{', '[']) {
    for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}
