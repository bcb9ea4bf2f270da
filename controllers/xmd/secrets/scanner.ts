/** What looks like a secret, and where it begins: counted from 1, lines end at LF, columns in UTF-16 units. */
export interface SecretFinding {
  /** Id of the rule that says so. */
  readonly rule: string;
  readonly line: number;
  readonly column: number;
}

export interface Scanner {
  /** Ids of the rules, to be allowed by name. */
  readonly rules: readonly string[];
  /** The first finding of a rule that is not allowed. Pure. Throws when a rule throws or answers late: fail closed. */
  scan(text: string, allow: readonly string[]): SecretFinding | undefined;
}

interface Rule {
  readonly id: string;
  file(source: object): unknown;
}

interface Report {
  readonly rule: string;
  readonly start: number;
}

let loading: Promise<Scanner> | undefined;

/**
 * The scanner over the rules of the kept-up library. Effect: loads them when first asked.
 *
 * @throws TypeError when the library is not what this was written for: nothing is recorded unexamined
 * @see kernel-specs/secrets.md SC-02
 */
export function loadScanner(): Promise<Scanner> {
  // A literal, so that the bundle holds the rules and evaluates them at this import only.
  return (loading ??= import('@secretlint/secretlint-rule-preset-recommend').then(openScanner));
}

/** Pure, but for the rules it makes. */
export function openScanner(preset: unknown): Scanner {
  const creators = registered(preset);
  const rules = creators.map((creator) => idOf(creator));
  const reports: Report[] = [];
  const live = creators.flatMap((creator) => makeRule(creator, reports));
  if (live.length === 0) throw unexpected('it has no rules');
  const scan = (text: string): readonly Report[] => {
    reports.length = 0;
    const source = sourceOf(text);
    for (const rule of live) {
      if (isThenable(rule.file(source))) throw unexpected(`${rule.id} answers late`);
    }
    return reports;
  };
  // Once at the start, so that a rule that does not answer at once is known before anything is performed.
  scan('');
  return {
    rules,
    scan: (text, allow) => {
      const [first] = scan(text)
        .filter(({ rule }) => !allow.includes(rule))
        .toSorted((a, b) => a.start - b.start);
      return first === undefined ? undefined : { rule: first.rule, ...placeOf(text, first.start) };
    },
  };
}

function registered(preset: unknown): readonly unknown[] {
  const found: unknown[] = [];
  const creator = memberOf(preset, 'creator');
  call(creator, 'create', [{ sharedOptions: {}, registerRule: (rule: unknown) => found.push(rule) }, []]);
  return found;
}

/** A rule, unless it has no handler for texts: such a one only filters what others report, which nobody is asked for. */
function makeRule(creator: unknown, reports: Report[]): readonly Rule[] {
  const id = idOf(creator);
  const made = call(creator, 'create', [
    {
      report: (finding: unknown) => {
        const range = memberOf(finding, 'range');
        const start: unknown = Array.isArray(range) ? range[0] : undefined;
        reports.push({ rule: id, start: typeof start === 'number' ? start : 0 });
      },
      // A text cannot ask not to be examined.
      ignore: () => undefined,
      // Messages may quote what was found: none is ever made.
      createTranslator: () => () => ({ message: '', messageId: '' }),
    },
    {},
  ]);
  return typeof memberOf(made, 'file') === 'function' ? [{ id, file: (source) => call(made, 'file', [source]) }] : [];
}

/** No file path, so that no rule looks at a disk. */
function sourceOf(text: string): object {
  return {
    content: text,
    contentType: 'text',
    ext: '',
    filePath: undefined,
    indexToPosition: (index: number) => {
      const { line, column } = placeOf(text, index);
      return { line, column: column - 1 };
    },
    locationToRange: () => [0, 0],
  };
}

function placeOf(text: string, index: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, index);
  return { line: before.split('\n').length, column: index - before.lastIndexOf('\n') };
}

function idOf(creator: unknown): string {
  const id = memberOf(memberOf(creator, 'meta'), 'id');
  return typeof id === 'string' ? id : fail('a rule has no id');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function call(owner: unknown, name: string, parameters: readonly unknown[]): unknown {
  const method = memberOf(owner, name);
  return typeof method === 'function' ? Reflect.apply(method, owner, parameters) : fail(`${name} is no function`);
}

function isThenable(value: unknown): boolean {
  return typeof memberOf(value, 'then') === 'function';
}

function fail(found: string): never {
  throw unexpected(found);
}

function unexpected(found: string): TypeError {
  return new TypeError(`The scanner for secrets cannot be used: ${found}`);
}
