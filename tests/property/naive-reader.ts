/**
 * A second reader of the fragment language, written to be obviously right and not to be fast: it recurses, copies
 * and searches again. It shares no code with the reader it judges. JSON props with duplicate keys are not its job.
 */

export type NaiveNode =
  | readonly ['text' | 'fence' | 'span', string]
  | readonly [name: string, form: string, props: readonly string[], children: readonly NaiveNode[]];

export interface NaiveProblem {
  readonly offset: number;
}

class Stop extends Error {
  readonly offset: number;
  readonly unclosed: boolean;

  constructor(offset: number, unclosed = false) {
    super('stop');
    this.offset = offset;
    this.unclosed = unclosed;
  }
}

/** The nodes of a text, or where it cannot be read (class `construct`). Limits, NUL and frontmatter are left out. */
export function readNaively(text: string): readonly NaiveNode[] | NaiveProblem {
  try {
    const { nodes, end } = readNodes(text, 0, undefined);
    if (end < text.length) {
      throw new Stop(end);
    }
    return nodes;
  } catch (error) {
    if (error instanceof Stop) {
      return { offset: error.offset };
    }
    throw error;
  }
}

interface Open {
  readonly name: string;
  readonly fenced: boolean;
}

function readNodes(text: string, start: number, open: Open | undefined): { nodes: NaiveNode[]; end: number } {
  const nodes: NaiveNode[] = [];
  let plain = '';
  let at = start;
  const flush = (): void => {
    if (plain !== '') {
      nodes.push(['text', plain]);
    }
    plain = '';
  };
  while (at < text.length) {
    const rest = text.slice(at);
    if (/^<\/[A-Z]/.test(rest)) {
      if (open === undefined || !rest.startsWith(`</${open.name}>`)) {
        throw new Stop(at);
      }
      break;
    }
    const code = readFence(text, at) ?? readSpan(text, at);
    if (code !== undefined) {
      if (code[0] === 'fence' && open !== undefined && !open.fenced && code[1].includes(`</${open.name}>`)) {
        throw new Stop(at);
      }
      if (code[0] === 'fence' && open === undefined && isUnclosed(code[1]) && /<\/?[A-Z]/.test(code[1])) {
        throw new Stop(at);
      }
      flush();
      const first = !nodes.some((node) => node[0] !== 'text');
      nodes.push(code);
      at += code[1].length;
      const close = text.indexOf('</File>', at);
      if (code[0] === 'fence' && open?.fenced === true && first && close !== -1) {
        plain = text.slice(at, close);
        at = close;
      }
    } else if (/^<[A-Z]/.test(rest)) {
      flush();
      const { node, end } = readElement(text, at);
      nodes.push(node);
      at = end;
    } else {
      const step = plainLength(text, at);
      plain += text.slice(at, at + step);
      at += step;
    }
  }
  flush();
  return { nodes, end: at };
}

/** Length of what is text for certain: a comment without an element tag, a whole backtick run, one character. */
function plainLength(text: string, at: number): number {
  const rest = text.slice(at);
  const comment = /^<!--[^]*?-->/.exec(rest)?.[0] ?? (rest.startsWith('<!--') ? rest : undefined);
  if (comment !== undefined) {
    const tag = comment.search(/<\/?[A-Z]/);
    if (tag !== -1) {
      throw new Stop(at + tag);
    }
    return comment.length;
  }
  return /^`+/.exec(rest)?.[0].length ?? 1;
}

function readElement(text: string, at: number): { node: NaiveNode; end: number } {
  const head = /^<[A-Z][A-Za-z0-9._]*/.exec(text.slice(at))?.[0] ?? '';
  const name = head.slice(1);
  const props = new Map<string, string>();
  let rest = text.slice(at + head.length);
  for (;;) {
    rest = rest.replace(/^[ \t\r\n]+/, '');
    if (rest.startsWith('/>')) {
      return { node: [name, 'self-closing', listed(props), []], end: text.length - rest.length + 2 };
    }
    if (rest.startsWith('>')) {
      break;
    }
    const found = /^[A-Za-z0-9_-]+/.exec(rest)?.[0];
    if (found === undefined || props.has(found) || text.length - rest.length === at + head.length) {
      throw new Stop(at);
    }
    rest = rest.slice(found.length);
    const equals = /^[ \t\r\n]*=[ \t\r\n]*/.exec(rest)?.[0];
    const value = equals === undefined ? ['', 'bare'] : readValue(rest.slice(equals.length));
    if (value === undefined) {
      throw new Stop(at);
    }
    props.set(found, value[1] ?? '');
    rest = rest.slice((equals ?? '').length + (value[0] ?? '').length);
  }
  const contentStart = text.length - rest.length + 1;
  const fenced = name === 'File' && ['bare', 'json true'].includes(props.get('fenced') ?? '');
  const { nodes, end } = readContent(text, { at, contentStart }, { name, fenced });
  return { node: [name, 'paired', listed(props), nodes], end: end + name.length + 3 };
}

/** What is left open at the end is told for the outermost element: it comes first. */
function readContent(
  text: string,
  from: { readonly at: number; readonly contentStart: number },
  open: Open,
): { nodes: NaiveNode[]; end: number } {
  let read: { nodes: NaiveNode[]; end: number };
  try {
    read = readNodes(text, from.contentStart, open);
  } catch (error) {
    throw error instanceof Stop && error.unclosed ? new Stop(from.at, true) : error;
  }
  if (read.end >= text.length) {
    throw new Stop(from.at, true);
  }
  return read;
}

function listed(props: ReadonlyMap<string, string>): readonly string[] {
  return [...props].map(([name, value]) => `${name}: ${value}`);
}

/** What was consumed, and what it says. */
function readValue(rest: string): readonly [string, string] | undefined {
  const quoted = /^"([^"]*)"|^'([^']*)'/.exec(rest);
  if (quoted !== null) {
    const value = quoted[1] ?? quoted[2] ?? '';
    return /\\$|\\["']/.test(value) ? undefined : [quoted[0], `string ${value}`];
  }
  if (!rest.startsWith('{')) {
    return undefined;
  }
  for (let end = rest.indexOf('}'); end !== -1; end = rest.indexOf('}', end + 1)) {
    try {
      return [rest.slice(0, end + 1), `json ${JSON.stringify(JSON.parse(rest.slice(1, end)))}`];
    } catch (error) {
      if (!(error instanceof SyntaxError)) {
        throw error;
      }
    }
  }
  const braces = bracesOf(rest);
  return braces === undefined ? undefined : [braces, 'expression'];
}

function bracesOf(rest: string): string | undefined {
  let depth = 0;
  let left = rest;
  while (left !== '') {
    const string = /^"(?:[^"\\]|\\[^])*"|^'(?:[^'\\]|\\[^])*'|^`(?:[^`\\]|\\[^])*`/.exec(left)?.[0];
    if (string === undefined && /^["'`]/.test(left)) {
      return undefined;
    }
    depth += left.startsWith('{') ? 1 : left.startsWith('}') ? -1 : 0;
    left = left.slice(string?.length ?? 1);
    if (depth === 0) {
      return rest.slice(0, rest.length - left.length);
    }
  }
  return undefined;
}

function readFence(text: string, at: number): readonly ['fence', string] | undefined {
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const opener = /^(`{3,})[^`\n]*(?:\n|$)|^(~{3,})[^\n]*(?:\n|$)/.exec(text.slice(at));
  if (opener === null || !/^[ \t]*$/.test(at === 0 ? '' : before) || text[at - 1] === text[at]) {
    return undefined;
  }
  const run = opener[1] ?? opener[2] ?? '';
  const lines = text.slice(at + opener[0].length).split('\n');
  const close = lines.findIndex((line) => isCloser(line, run));
  const body = close === -1 ? lines : lines.slice(0, close + 1);
  return ['fence', opener[0] + body.join('\n')];
}

function isUnclosed(fence: string): boolean {
  const [opener = '', ...lines] = fence.split('\n');
  const run = /^(?:`+|~+)/.exec(opener)?.[0] ?? '';
  return !lines.some((line) => isCloser(line, run));
}

function isCloser(line: string, run: string): boolean {
  const found = /^[ \t]*(`{3,}|~{3,})[ \t\r]*$/.exec(line)?.[1] ?? '';
  return found[0] === run[0] && found.length >= run.length;
}

function readSpan(text: string, at: number): readonly ['span', string] | undefined {
  const line = /^[^\n]*/.exec(text.slice(at))?.[0] ?? '';
  const run = /^`+/.exec(line)?.[0];
  if (run === undefined) {
    return undefined;
  }
  for (const later of line.slice(run.length).matchAll(/`+/g)) {
    if (later[0].length === run.length) {
      return ['span', line.slice(0, run.length + later.index + run.length)];
    }
  }
  return undefined;
}
