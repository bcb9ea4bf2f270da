import type { InvokeContext, ResourceContext, ResourceManifest } from '@telorun/sdk';
import { isMembers } from './admission/shape.ts';
import type { ReferenceSite } from './content-zone.ts';
import { referenceSite } from './content-zone.ts';
import { inputRefused } from './errors.ts';
import { narrowAllow, readAllow } from './vocabulary/allow.ts';
import type { ReferenceEntry } from './vocabulary/reference.ts';
import { listReference } from './vocabulary/reference.ts';
import { isElementName } from './vocabulary/reserved.ts';
import { listSymbols } from './vocabulary/symbols.ts';
import { renderSymbol, renderSyntax } from './vocabulary/syntax-reference.ts';

/** What a fragment may use, for a prompt and as data. */
export interface SyntaxAnswer {
  readonly markdown: string;
  /** What is admitted; where names are stated, what has one of them, admitted or not. */
  readonly symbols: readonly ReferenceEntry[];
  /** Everything that has a name here, with whether it is available. */
  readonly reference: readonly ReferenceEntry[];
}

/**
 * Documents the table that profile and allow select, or single elements of the wider reference; inside `content`, the
 * table of the evaluation around it.
 *
 * Pure. Documenting admits nothing.
 *
 * @throws InvokeError ERR_XMD_PROFILE, ERR_XMD_INPUT
 * @see kernel-specs/plan.md PL-40 to PL-43
 */
export function answerSyntax(
  inputs: unknown,
  resource: ResourceManifest,
  at: { readonly ctx: ResourceContext; readonly context: InvokeContext | undefined },
): SyntaxAnswer {
  return syntaxOf(referenceSite(resource, at), inputs, resource['names']);
}

/**
 * The same for a profile and the widest `allow` as stated. Pure.
 *
 * @throws InvokeError ERR_XMD_INPUT
 */
export function syntaxOf(site: ReferenceSite, inputs: unknown, stated?: unknown): SyntaxAnswer {
  const { profile } = site;
  const { allow, names } = readInputs(inputs);
  const widest = narrowAllow(readAllow(site.allow), profile.grants);
  const narrowed = profile.table(allow === undefined ? widest : narrowAllow(readAllow(allow), widest));
  const reference = listReference(profile.table(profile.grants), narrowed);
  const wanted = readNames(names ?? stated);
  if (wanted === undefined) {
    const { limits } = profile;
    const markdown = renderSyntax(listSymbols(narrowed), { limits, paths: narrowed.paths });
    return { markdown, symbols: reference.filter(({ available }) => available), reference };
  }
  const symbols = reference.filter(({ name }) => wanted.includes(name));
  return { markdown: documentNames(wanted, symbols), symbols, reference };
}

function documentNames(names: readonly string[], symbols: readonly ReferenceEntry[]): string {
  const parts = names.flatMap((name) => {
    const found = symbols.filter((symbol) => symbol.name === name);
    return found.length === 0 ? [`### ${name}\nThere is no such element.`] : found.map(documentEntry);
  });
  return `${parts.join('\n\n')}\n`;
}

function documentEntry(entry: ReferenceEntry): string {
  const { forms, grant, available } = entry;
  const written = forms.map((form) => renderSymbol({ ...entry, form, grant: grant ?? 'no grant' }));
  return `${written[0] ?? ''}\n${available ? 'Available here.' : 'Not available here.'}`;
}

function readInputs(inputs: unknown): { readonly allow?: unknown; readonly names?: unknown } {
  if (inputs === undefined || inputs === null) {
    return {};
  }
  if (!isMembers(inputs) || !Object.keys(inputs).every((name) => name === 'allow' || name === 'names')) {
    throw inputRefused('inputs', 'its inputs are not allow and names', 'State allow, names, or nothing.');
  }
  const { allow, names } = inputs;
  return { ...(allow === undefined ? {} : { allow }), ...(names === undefined ? {} : { names }) };
}

function readNames(value: unknown): readonly string[] | undefined {
  if (value === undefined) {
    return undefined;
  }
  const isNames =
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((name): name is string => typeof name === 'string' && isElementName(name));
  if (!isNames) {
    throw inputRefused(
      'names',
      'its names are not a list of element names',
      'State each name once, as in [File, Dir].',
    );
  }
  return value;
}
