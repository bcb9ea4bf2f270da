import type { Form } from '../fragment/fragment.ts';
import type { JsonObject, JsonValue } from '../values/json.ts';
import type { LimitedAccess, PathLimits } from '../values/path-limits.ts';
import type { Limits } from './limits.ts';
import type { Grant } from './operation.ts';

/** What a reference says of one element. */
export interface DocumentedSymbol {
  readonly name: string;
  readonly form: Form;
  readonly props: JsonObject;
  readonly grant: Grant | 'no grant';
  readonly description: string;
}

/** What bounds every fragment besides its elements. */
export interface ReferenceBounds {
  readonly limits?: Pick<Limits, 'textBytes' | 'elements' | 'depth' | 'fileBytes'>;
  readonly paths?: PathLimits;
}

/**
 * What a fragment may use, as Markdown for a prompt: from the symbols of a table alone, and no longer than it must be.
 *
 * Pure.
 *
 * @see kernel-specs/plan.md PL-40
 */
export function renderSyntax(symbols: readonly DocumentedSymbol[], bounds: ReferenceBounds = {}): string {
  const elements = symbols.map(renderSymbol);
  const none = 'There is no element: only prose is admitted.';
  const sections = [
    '## Elements',
    ...(elements.length === 0 ? [none] : elements),
    '## Rules',
    rulesOf(symbols, bounds),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** One element with its props, as Markdown. Pure. */
export function renderSymbol(symbol: DocumentedSymbol): string {
  const { name, form, grant, description, props } = symbol;
  const lines = [`### ${name}, ${form} (${grant})`];
  if (description !== '') {
    lines.push(description);
  }
  if (!description.includes(`\`<${name}`)) {
    lines.push(`Example: \`${exampleOf(symbol)}\``);
  }
  lines.push(...propsOf(props));
  return lines.join('\n');
}

function exampleOf({ name, form, props }: DocumentedSymbol): string {
  const required = namesIn(props['required']);
  const properties = membersOf(props['properties']);
  const written = required.map((prop) => ` ${prop}=${exampleValue(membersOf(properties[prop]))}`).join('');
  return form === 'paired' ? `<${name}${written}>text</${name}>` : `<${name}${written} />`;
}

function exampleValue(schema: JsonObject): string {
  const stated = [schema['const'], schema['default'], ...listOf(schema['enum']), ...listOf(schema['examples'])].find(
    (value) => value !== undefined,
  );
  if (typeof stated === 'string') {
    return stated.includes('"') ? `{${JSON.stringify(stated)}}` : `"${stated}"`;
  }
  if (stated !== undefined) {
    return `{${JSON.stringify(stated)}}`;
  }
  const samples: Readonly<Record<string, string>> = {
    integer: '{1}',
    number: '{1}',
    boolean: '{true}',
    array: '{[]}',
    object: '{{}}',
  };
  const [type = ''] = namesIn([schema['type'] ?? []].flat());
  return samples[type] ?? '"..."';
}

function propsOf(props: JsonObject): readonly string[] {
  const required = new Set(namesIn(props['required']));
  return Object.entries(membersOf(props['properties'])).map(([name, stated]) => {
    const schema = membersOf(stated);
    const kinds = [typeOf(schema), required.has(name) ? 'required' : 'optional'].filter((word) => word !== '');
    const description = schema['description'];
    const examples = listOf(schema['examples']).map((one) => JSON.stringify(one));
    return [
      `- \`${name}\` (${kinds.join(', ')})`,
      ...(typeof description === 'string' ? [`: ${description}`] : []),
      ...(examples.length === 0 ? [] : [`: ${examples.join(', ')}`]),
    ].join('');
  });
}

function typeOf(schema: JsonObject): string {
  const values = listOf(schema['enum']);
  if (values.length > 0) {
    return values.map((one) => JSON.stringify(one)).join(' or ');
  }
  return schema['const'] === undefined
    ? namesIn([schema['type'] ?? []].flat()).join(' or ')
    : JSON.stringify(schema['const']);
}

function rulesOf(symbols: readonly DocumentedSymbol[], { limits, paths }: ReferenceBounds): string {
  const writes = symbols.some(({ name, form }) => name === 'File' && form === 'paired');
  const hasPaths = symbols.some(({ props }) => membersOf(props['properties'])['path'] !== undefined);
  const accesses: LimitedAccess[] = symbols.some(({ grant }) => grant === 'read') ? ['read'] : [];
  if (symbols.some(({ grant }) => grant === 'write')) {
    accesses.push('write', 'delete');
  }
  return [
    'A fragment is prose with these elements and no others. One fault anywhere refuses all of it, before anything happens.',
    'Tags close in order; no space in `</Name>`; no element in an HTML comment; no `---` on the first line.',
    'A prop is `name="text"` (no quotes, backslash escapes or entities inside), a bare `name`, or strict JSON in braces as in `name={["a"]}`. Never an expression, a spread, or one name twice.',
    'In a code fence and between backticks there are no elements: that is where code and tags in prose belong. No fence says `exec` or `eval`.',
    `In prose a brace before a name is refused: write \`\\{\`, or use backticks.${writes ? ' In a paired File braces are ordinary characters.' : ''}`,
    ...(hasPaths
      ? ['A path is relative, with `/`, without `..`; names that begin with a dot are out of reach unless listed.']
      : []),
    ...pathRules(paths, accesses),
    ...(writes ? FILE_RULES : []),
    ...limitRules(limits, writes),
  ]
    .map((rule) => `- ${rule}`)
    .join('\n');
}

const FILE_RULES: readonly string[] = [
  'A paired File gets the exact characters between its tags; one line ending behind the opening tag is not part of them.',
  'Code goes into a File as one fenced block with `fenced`, the fence longer than any inside: `<File path="a.py" fenced>`, a line of backticks, the code, a line of backticks, `</File>`. Fenced lines that are to keep their fence say `fenced={false}`.',
];

function pathRules(paths: PathLimits | undefined, accesses: readonly LimitedAccess[]): readonly string[] {
  if (paths === undefined) {
    return [];
  }
  return Object.entries(paths.json(accesses)).flatMap(([access, stated]) => {
    const { allow, deny } = membersOf(stated);
    const words = [
      ...(allow === undefined ? [] : [`only ${patterns(allow)}`]),
      ...(deny === undefined ? [] : [`never ${patterns(deny)}`]),
    ];
    return words.length === 0 ? [] : [`To ${access}: ${words.join(', ')}.`];
  });
}

function patterns(value: JsonValue): string {
  return namesIn(value)
    .map((one) => `\`${one}\``)
    .join(', ');
}

function limitRules(limits: ReferenceBounds['limits'], writes: boolean): readonly string[] {
  if (limits === undefined) {
    return [];
  }
  const { textBytes, elements, depth, fileBytes } = limits;
  const file = writes ? `, ${fileBytes} bytes in a file` : '';
  return [`At most ${textBytes} bytes, ${elements} elements, ${depth} deep${file}.`];
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isMembers(value) ? value : {};
}

function isMembers(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  return listOf(value).filter((one) => typeof one === 'string');
}
