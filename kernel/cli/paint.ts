type Painter = (text: string) => string;

export interface Paint {
  readonly bold: Painter;
  readonly dim: Painter;
  readonly red: Painter;
  readonly green: Painter;
  readonly yellow: Painter;
  readonly cyan: Painter;
}

const plain: Painter = (text) => text;

function sgr(open: number, close: number): Painter {
  return (text) => `\u001b[${open}m${text}\u001b[${close}m`;
}

const COLOURED: Paint = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  cyan: sgr(36, 39),
};

const PLAIN: Paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain };

/** Colours for a stream: on a terminal, unless NO_COLOR is set. Pure. */
export function paint(stream: { readonly isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Paint {
  const asked = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
  const refused = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '';
  return asked || (stream.isTTY === true && !refused) ? COLOURED : PLAIN;
}
