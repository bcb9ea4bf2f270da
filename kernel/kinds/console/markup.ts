const STYLES: Readonly<Record<string, string>> = {
  bold: '1',
  dim: '2',
  italic: '3',
  underline: '4',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
  gray: '90',
};

const MARKUP = /\{([a-z]+) ([^{}]*)\}/g;

/** Whatever could move a cursor, reorder text or hide in it. Line feeds and tabs stay. */
const UNPRINTABLE =
  // oxlint-disable-next-line no-control-regex -- these are the characters to be found
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/** `text` with control, bidirectional and zero-width characters written as `\u....`. Pure. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** `{style text}` becomes the text, styled where `colours` says so. Pure. An unknown style is no markup. */
export function styled(text: string, colours: boolean): string {
  return printable(text).replace(MARKUP, (whole, style: string, inner: string) => {
    const code = Object.hasOwn(STYLES, style) ? STYLES[style] : undefined;
    if (code === undefined) return whole;
    return colours ? `\u001b[${code}m${inner}\u001b[0m` : inner;
  });
}
