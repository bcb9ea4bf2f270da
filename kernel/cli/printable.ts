// Control characters (but tab and line feed where lines are kept), bidirectional controls, zero-width characters, the
// byte order mark, line and paragraph separators, and all else that Unicode lets a terminal leave out: what could rewrite a
// line or hide in it.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\ud800-\udfff]/gu;

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, '0')}`;
}

/** `text` on one line, with everything that could deceive a terminal escaped. Pure. @see kernel-specs/command-line.md CL-10 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escaped);
}

/** The same for text whose own lines are kept. Pure. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** `text` cut to `width` characters after escaping. Pure. */
export function shortened(text: string, width: number): string {
  const safe = printable(text);
  return safe.length <= width ? safe : `${safe.slice(0, width - 1)}…`;
}

/** One line of JSON for a person, cut to `width`. Integers beyond JSON are shown as digits. Pure. */
export function brief(value: unknown, width = 96): string {
  return shortened(jsonText(value), width);
}

/** A size for a person: `467 B`, `1.2 KB`. Pure. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_950 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** JSON text of journal data; integers of arbitrary size become digits. Pure. */
export function jsonText(value: unknown, indent?: number): string {
  const text: string | undefined = JSON.stringify(
    value,
    (_key, member: unknown) =>
      typeof member === 'bigint' ? (Number.isSafeInteger(Number(member)) ? Number(member) : member.toString()) : member,
    indent,
  );
  return text ?? 'null';
}

/** One JSON document on one line, with what could deceive a terminal in the escapes of JSON. Pure. */
export function jsonDocument(value: unknown): string {
  const text = jsonText(value).replaceAll(UNPRINTABLE, (character) =>
    Array.from({ length: character.length }, (_, index) => unit(character.charCodeAt(index))).join(''),
  );
  return `${text}\n`;
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** A value as one argument of a POSIX shell. Pure. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
