import type { JournalEntry } from '@telorun/sdk/journal';
import { draftSummary } from './drafts.ts';
import { elementOf, isAdmission, isApproval, isOutcome, keeperOf, labelOf, recordName } from './entry-path.ts';
import { brief, printable } from './printable.ts';
import { instant } from './reason.ts';
import { counted, effectSummary, member, summaryOf } from './summary.ts';

/** How one entry is told to a person: what it is, and what came of it. */
export interface Told {
  readonly label: string;
  readonly detail: string;
  /** A failure, so that it is coloured as one. */
  readonly failed?: boolean;
}

/** Tells one entry, or undefined for bookkeeping that says nothing to a person. Never a token. Pure. */
export function tell(entry: JournalEntry, options: { ancestor: string; inputs?: unknown }): Told | undefined {
  if (isOutcome(entry.path)) return tellOutcome(entry.value);
  if (entry.kind === 'step') return tellStep(entry, options);
  if (isAdmission(entry.path)) return tellAdmission(entry.value);
  if (isApproval(entry.path)) return tellApproval(entry.value);
  if (entry.path.startsWith('override/')) return tellOverride(entry);
  if (keeperOf(entry) !== undefined || entry.path === 'inputs') return tellRecord(entry);
  return { label: labelOf(entry.path, options.ancestor), detail: summaryOf(entry.value) };
}

/** What a step or an effect of a fragment is called: `apply`, `File CHANGELOG.md`. Pure. */
export function stepLabel(path: string, options: { ancestor: string; inputs?: unknown }): string {
  const label = labelOf(path, options.ancestor);
  if (elementOf(path) === undefined || options.inputs === undefined || options.inputs === null) return label;
  const file = member(options.inputs, 'path');
  const asked = typeof file === 'string' ? printable(file) : brief(options.inputs, 60);
  return asked === '{}' ? label : `${label} ${asked}`;
}

/** The way that control flow took at a step, as its detail; undefined for other records. Pure. */
export function branchOf(entry: JournalEntry): string | undefined {
  const name = recordName(entry.path);
  if (name === 'switch') return `takes ${summaryOf(entry.value)}`;
  if (name === 'if') return entry.value === true ? 'takes then' : 'takes else';
  if (name.startsWith('elseif[') && entry.value === true) return `takes ${name}`;
  if (name.startsWith('while[') && entry.value === false) return counted(Number(/\d+/.exec(name)?.[0]), 'turn');
  if (name === 'when' && entry.value === false) return 'skipped';
  return undefined;
}

function tellStep(entry: JournalEntry, options: { ancestor: string; inputs?: unknown }): Told {
  const label = stepLabel(entry.path, options);
  const element = elementOf(entry.path);
  if (element !== undefined) return { label, detail: effectSummary(element, entry.value) };
  const target = entry.target === undefined ? '' : printable(`${entry.target.kind}/${entry.target.name}`);
  const detail = draftSummary(entry.path, entry.value) ?? summaryOf(entry.value);
  return { label, detail: [target, detail].filter((part) => part !== '').join('  ') };
}

function tellOutcome(value: unknown): Told | undefined {
  if (member(value, 'outcome') !== 'failed') return undefined;
  const code = printable(String(member(value, 'code')));
  return {
    label: 'failed',
    detail: `${code}: ${printable(String(member(value, 'message')))}`,
    failed: true,
  };
}

function tellRecord(entry: JournalEntry): Told | undefined {
  const name = recordName(entry.path);
  const attempt = /^retry\[(\d+)\]$/.exec(name)?.[1];
  if (attempt !== undefined) {
    const due = typeof entry.value === 'number' ? `next at ${instant(entry.value)}` : '';
    return { label: `attempt ${Number(attempt) + 1} failed`, detail: due, failed: true };
  }
  if (/^(?:catch|finally)(?:\[\d+\])?$/.test(name)) {
    const code = printable(String(member(entry.value, 'code')));
    return { label: name.startsWith('catch') ? 'caught' : 'cleans up after', detail: code };
  }
  return undefined;
}

/** What an operator decided about the run: `override/force/<ms>`, `override/resume/<ms>`. */
function tellOverride({ path, value }: JournalEntry): Told {
  const [, what = '', at = ''] = path.split('/');
  const when = instant(Number(at));
  const reason = member(value, 'reason');
  const why = typeof reason === 'string' ? `: ${printable(reason)}` : '';
  const label = what === 'force' ? 'forced on another version of the workflow' : `${printable(what)}d by an operator`;
  return { label, detail: `${when}${why}` };
}

function tellApproval(value: unknown): Told {
  if (member(value, 'decision') === 'approved') return { label: 'as approved', detail: '' };
  return { label: 'not as approved', detail: printable(String(member(value, 'reason'))), failed: true };
}

function tellAdmission(value: unknown): Told {
  if (member(value, 'decision') === 'refused') {
    const refusal = member(value, 'refusal');
    const place = `${String(member(refusal, 'line'))}:${String(member(refusal, 'column'))}`;
    const detail = printable(`${String(member(refusal, 'class'))} at ${place} of the fragment`);
    return { label: 'refused', detail, failed: true };
  }
  const named = member(value, 'named');
  const count = Array.isArray(named) ? `${counted(named.length, 'element')}, ` : '';
  const allow = member(member(value, 'policy'), 'allow') ?? member(value, 'allow');
  const granted = Array.isArray(allow) ? `allow ${allow.map(String).join(', ')}` : '';
  return { label: 'admitted', detail: printable(`${count}${granted}`) };
}
