import type { JournalEntry } from '@telorun/sdk/journal';
import { printable } from './printable.ts';

/** Reading step paths the way a person reads a run: which step an entry belongs to, and what it is called. Pure. */

const EFFECT = /(?:^|\/)xmd\[\d+\]\/([^/]+)$/;
const OUTCOME = /(?:^|\/)generated_xmd\/outcome(?:\[\d+\])?$/;
const ADMISSION = /(?:^|\/)(?:occurrence\[\d+\]\/)?generated_xmd$/;
const BOOKKEEPING =
  /\/(?:inputs|token|deadline|wakeAt|when|collection|before(?:\[\d+\])?|begun(?:\[\d+\])?|retry\[\d+\]|if|elseif\[\d+\]|while\[\d+\]|switch|catch(?:\[\d+\])?|finally(?:\[\d+\])?)$/;
const EVALUATION = /\/(?:occurrence\[\d+\]\/)?generated_xmd(?:\/(?:approval|outcome(?:\[\d+\])?))?$/;
/** Segments of control flow between a step and the steps inside it. */
const STRUCTURE = /^(?:steps|cases\/[^/]+|then|else|default|elseif\[\d+\]\/then|try|content|occurrence\[\d+\])\/(?=.)/;

/** The element that an effect of a fragment performs; undefined for any other path. */
export function elementOf(path: string): string | undefined {
  return EFFECT.exec(path)?.[1];
}

export function isOutcome(path: string): boolean {
  return OUTCOME.test(path);
}

export function isAdmission(path: string): boolean {
  return ADMISSION.test(path);
}

export function isApproval(path: string): boolean {
  return path.endsWith('/generated_xmd/approval');
}

/** The step that keeps an entry among its own records; undefined when the entry is a step, an effect or a value itself. */
export function keeperOf({ path, kind }: Pick<JournalEntry, 'path' | 'kind'>): string | undefined {
  const record = EVALUATION.exec(path) ?? (kind === 'decision' ? BOOKKEEPING.exec(path) : null);
  const keeper = record === null ? '' : path.slice(0, record.index);
  return keeper === '' || keeper === 'steps' ? undefined : keeper;
}

/** The word of a record below its step: `switch`, `retry[0]`, `generated_xmd`. */
export function recordName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Paths above `path`, the nearest first. */
export function* pathsAbove(path: string): Generator<string> {
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) yield path.slice(0, cut);
}

/** Elements that enclose the effect at `path`, and the evaluation itself, the nearest first. */
export function* enclosingElements(path: string): Generator<string> {
  for (let cut = path.lastIndexOf('/xmd['); cut > 0; cut = path.lastIndexOf('/xmd[', cut - 1)) {
    yield path.slice(0, cut).replace(/\/occurrence\[\d+\]$/, '');
  }
}

/** What the step at `path` is called below `ancestor`. */
export function labelOf(path: string, ancestor: string): string {
  const element = elementOf(path);
  if (element !== undefined) return printable(element);
  let rest = ancestor !== '' && path.startsWith(`${ancestor}/`) ? path.slice(ancestor.length + 1) : path;
  for (let shorter = rest.replace(STRUCTURE, ''); shorter !== rest; shorter = rest.replace(STRUCTURE, '')) {
    rest = shorter;
  }
  return printable(rest.replaceAll('/', ' / '));
}
