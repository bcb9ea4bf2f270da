import type { PlannedEffect } from '../preflight/plan.ts';
import type { JsonValue } from '../values/json.ts';
import { printable } from '../values/printable.ts';
import { Differ, marked } from './diff.ts';
import type { Former } from './file-look.ts';
import type { Surveyed } from './survey.ts';
import { describeTarget } from './described-target.ts';

export interface RenderingOptions {
  /** Why a text of a file is not to be shown, such as a secret in it; undefined where nothing is against it. */
  readonly conceals: (effect: PlannedEffect, text: string) => string | undefined;
}

/**
 * What a fragment would do, for a person: one numbered heading for each effect in the order performed, and below it what
 * changes. Every line that comes from a fragment or a file has a mark ahead of it, and nothing in it can deceive.
 *
 * Pure. For a person alone: it holds text of files that the fragment may not read.
 *
 * @see kernel-specs/approval.md AP-15
 */
export function renderSurvey(surveyed: readonly Surveyed[], options: RenderingOptions): string {
  if (surveyed.length === 0) {
    return 'It does nothing: no effects.\n';
  }
  const means: Means = { ...options, differ: new Differ(), copied: { units: COPIED_UNITS_MAX } };
  const lines = surveyed.flatMap((one, index) => {
    const [heading, ...details] = linesOf(one, means);
    return [`${index + 1}. ${heading ?? ''}`, ...details];
  });
  return `${lines.join('\n')}\n`;
}

/** UTF-16 units of copied files that one rendering shows; what stands in the fragment itself is always shown whole. */
const COPIED_UNITS_MAX = 8 * 1_048_576;

interface Means extends RenderingOptions {
  readonly differ: Differ;
  /** What is left to be shown of files that are copied into others. */
  readonly copied: { units: number };
}

function linesOf(one: Surveyed, means: Means): readonly string[] {
  const { effect, problem } = one;
  const stopped = problem === undefined ? [] : [`   Not possible as it is now. ${printable(problem.message)}.`];
  const what = describeTarget(effect);
  switch (what.kind) {
    case 'write':
      return [...writeLines(one, what.path, means), ...stopped];
    case 'delete':
      return [...deleteLines(one, what.path, means), ...stopped];
    case 'read':
      return [`read ${quoted(what.path)}`, ...stopped];
    case 'folder':
      return [`folder ${quoted(what.path)}, made where it is missing`, ...stopped];
    case 'request':
      return [
        `request ${printable(what.method)} ${printable(what.url)}`,
        ...memberLines(effect.input, ['method', 'url']),
      ];
    case 'operation':
      return [`${printable(effect.operation.name)} calls ${printable(what.operation)}`, ...callLines(one)];
    default:
      return what satisfies never;
  }
}

function writeLines({ effect, target, former, pieces = [] }: Surveyed, path: string, means: Means): readonly string[] {
  const place = placeNote(path, target?.place);
  const texts = pieces.filter((piece) => typeof piece === 'string');
  const to = texts.join('');
  const concealed = tooMuch(effect, to, means) ?? means.conceals(effect, to);
  if (concealed !== undefined) {
    return [`write ${quoted(path)}${place}`, `   What would be written is not shown: ${printable(concealed)}.`];
  }
  if (texts.length < pieces.length) {
    return [
      `write ${quoted(path)}${place}, of which a part is not known before`,
      ...formerNote(former),
      ...pieces.flatMap((piece) =>
        typeof piece === 'string' ? marked('+', piece) : [`? what ${printable(piece.from)} answers`],
      ),
    ];
  }
  const shown = shownFormer(effect, former, means);
  if (shown.kind === 'unshown') {
    return [`write ${quoted(path)}${place}`, ...formerNote(shown), ...marked('+', to)];
  }
  const from = shown.kind === 'text' ? shown.text : undefined;
  const note = from === undefined ? ', a new file' : from === to ? ', which holds just that' : '';
  const empty = to === '' && from === undefined ? ', empty' : '';
  return [`write ${quoted(path)}${place}${note}${empty}`, ...means.differ.lines({ path, from, to })];
}

/** Why a content that holds copies of files is not shown. */
function tooMuch({ literal, children }: PlannedEffect, content: string, { copied }: Means): string | undefined {
  const own = children.reduce((sum, child) => sum + (child.kind === 'text' ? child.text.length : 0), 0);
  const units = content.length - (literal?.length ?? own);
  if (units > copied.units) return `${Buffer.byteLength(content)} bytes, more than is shown`;
  copied.units -= units;
  return undefined;
}

function deleteLines({ effect, target, former }: Surveyed, path: string, means: Means): readonly string[] {
  const place = placeNote(path, target?.place);
  const shown = shownFormer(effect, former, means);
  if (shown.kind === 'absent') {
    return [`delete ${quoted(path)}${place}, which is not there`];
  }
  if (shown.kind === 'unshown') {
    return [`delete ${quoted(path)}${place}`, ...formerNote(shown)];
  }
  return [`delete ${quoted(path)}${place}`, ...means.differ.lines({ path, from: shown.text, to: undefined })];
}

function shownFormer(effect: PlannedEffect, former: Former | undefined, { conceals }: Means): Former {
  if (former?.kind !== 'text') {
    return former ?? { kind: 'absent' };
  }
  const why = conceals(effect, former.text);
  return why === undefined ? former : { kind: 'unshown', why };
}

function formerNote(former: Former | undefined): readonly string[] {
  if (former?.kind === 'unshown') {
    return [`   What is there now is not shown: ${printable(former.why)}.`];
  }
  return former?.kind === 'text' ? ['   It replaces a file.'] : [];
}

/** Where a link leads is part of what is approved. */
function placeNote(path: string, place: string | undefined): string {
  return place === undefined || place === path ? '' : ` (that is ${quoted(place)})`;
}

function callLines({ effect, pieces = [] }: Surveyed): readonly string[] {
  const content = pieces.filter((piece) => typeof piece === 'string').join('');
  return [
    ...memberLines(effect.input, []),
    ...(content === '' ? [] : ['   content:', ...content.split('\n').map((line) => `   | ${printable(line)}`)]),
  ];
}

function memberLines(members: Readonly<Record<string, JsonValue>>, except: readonly string[]): readonly string[] {
  return Object.entries(members)
    .filter(([name]) => !except.includes(name))
    .map(([name, value]) => `   ${printable(name)}: ${printable(JSON.stringify(value))}`);
}

function quoted(text: string): string {
  return printable(JSON.stringify(text));
}

/** A refusal for a person: the fixed sentence, where, and its class or the id of a rule. Pure. @see EV-50 */
export function renderRefusal(
  sentence: string,
  kind: string,
  { line, column }: { readonly line: number; readonly column: number },
): string {
  return `Refused, nothing would be done. ${sentence}: line ${line}, column ${column} (${kind}).\n`;
}
