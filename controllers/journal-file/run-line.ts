import type { DecisionKind } from '@telorun/sdk';
import type { JournalEntry, RunError, RunStatus } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../journal-sqlite/errors.ts';
import { present } from '../journal-sqlite/values.ts';
import { type Shape, numberIfAny, own, shapeOf, textIfAny, textIn, wordIn } from './shapes.ts';

const STATUSES: readonly RunStatus[] = ['scheduled', 'running', 'parked', 'completed', 'failed', 'cancelled'];
const DECISIONS: readonly DecisionKind[] = ['inputs', 'predicate', 'condition', 'collection', 'switch', 'value'];

export interface ParkedPlace {
  readonly path: string;
  readonly resource: string;
  readonly at?: number;
  readonly token?: string;
}

/** What a line `{"type":"run"}` of Telo's format says; the last one of a file counts. */
export interface RunLine {
  readonly status: RunStatus;
  readonly dueAt?: number;
  readonly inputs?: unknown;
  readonly parked?: ParkedPlace;
  readonly result?: unknown;
  readonly error?: RunError;
  readonly collapsedRegions?: number;
  readonly collapseReasons?: readonly string[];
}

export type TeloLine =
  { readonly type: 'run'; readonly run: RunLine } | { readonly type: 'entry'; readonly entry: JournalEntry };

/** A line of Telo's format, read closed. Pure. Throws UnreadableRecord for anything that Telo does not write there. */
export function readTeloLine(value: unknown, run: string): TeloLine {
  const line = shapeOf(value, 'a line');
  const type = wordIn(line, 'type', ['run', 'entry']);
  if (type === 'entry') return { type, entry: readEntry(own(line, 'entry')) };
  if (textIn(line, 'run') !== run) throw new UnreadableRecord('it belongs to another run');
  return { type, run: readRun(line) };
}

function readRun(line: Shape): RunLine {
  const parked = own(line, 'parked');
  const error = own(line, 'error');
  const reasons = own(line, 'collapseReasons');
  return {
    status: wordIn(line, 'status', STATUSES),
    ...present('dueAt', numberIfAny(line, 'dueAt')),
    ...('inputs' in line ? { inputs: line['inputs'] } : {}),
    ...(parked === undefined || parked === null ? {} : { parked: readParked(parked) }),
    ...('result' in line ? { result: line['result'] } : {}),
    ...(error === undefined || error === null ? {} : { error: readError(error) }),
    ...present('collapsedRegions', numberIfAny(line, 'collapsedRegions')),
    ...(reasons === undefined ? {} : { collapseReasons: readReasons(reasons) }),
  };
}

function readParked(value: unknown): ParkedPlace {
  const parked = shapeOf(value, '"parked"');
  return {
    path: textIn(parked, 'path'),
    resource: textIn(parked, 'resource'),
    ...present('token', textIfAny(parked, 'token')),
    ...present('at', numberIfAny(parked, 'at')),
  };
}

export function readError(value: unknown): RunError {
  const error = shapeOf(value, '"error"');
  return {
    code: textIn(error, 'code'),
    message: textIn(error, 'message'),
    ...('data' in error ? { data: error['data'] } : {}),
  };
}

function readReasons(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((reason): reason is string => typeof reason === 'string')) return value;
  throw new UnreadableRecord('"collapseReasons" is no list of texts');
}

function readEntry(value: unknown): JournalEntry {
  const entry = shapeOf(value, '"entry"');
  const path = textIn(entry, 'path');
  const kind = wordIn(entry, 'kind', ['step', 'decision']);
  const target = own(entry, 'target');
  return {
    path,
    kind,
    ...(kind === 'decision' ? { decision: wordIn(entry, 'decision', DECISIONS) } : {}),
    ...(target === undefined || target === null ? {} : { target: readTarget(target) }),
    ...('value' in entry ? { value: entry['value'] } : {}),
  };
}

function readTarget(value: unknown): NonNullable<JournalEntry['target']> {
  const target = shapeOf(value, '"target"');
  return {
    ...target,
    kind: textIn(target, 'kind'),
    name: textIn(target, 'name'),
    ...present('module', textIfAny(target, 'module')),
  };
}

/**
 * The entry as Telo's format takes it, and the name of a module that is left out of it: a Telo kernel compares modules by
 * URL and would refuse our name for one. Pure.
 */
export function withUrlTarget(entry: JournalEntry): { readonly written: JournalEntry; readonly module?: string } {
  const { target } = entry;
  if (target?.module === undefined || target.module.includes(':')) return { written: entry };
  const { kind, name, module } = target;
  return { written: { ...entry, target: { kind, name } }, module };
}

/** Telo's spelling of an entry, its members in Telo's order. Pure. */
export function entryLine(entry: JournalEntry, plainValue: string | undefined): string {
  const head = [`"path":${JSON.stringify(entry.path)}`, `"kind":"${entry.kind}"`];
  if (entry.kind === 'decision') head.push(`"decision":${JSON.stringify(entry.decision ?? 'value')}`);
  if (plainValue !== undefined) head.push(`"value":${plainValue}`);
  if (entry.target !== undefined) head.push(`"target":${JSON.stringify(entry.target)}`);
  return `{"type":"entry","entry":{${head.join(',')}}}\n`;
}

export interface RunLineTexts extends Omit<RunLine, 'inputs' | 'result'> {
  /** Plain JSON. */
  readonly inputs?: string | undefined;
  /** Plain JSON. */
  readonly result?: string | undefined;
}

/** Telo's spelling of how a run stands, its members in Telo's order. Pure. */
export function runLine(run: string, line: RunLineTexts): string {
  const parts = [`"type":"run"`, `"run":${JSON.stringify(run)}`, `"status":"${line.status}"`];
  const put = (member: string, text: string | undefined): void => {
    if (text !== undefined) parts.push(`"${member}":${text}`);
  };
  put('inputs', line.inputs);
  put('parked', plain(line.parked && parkedParts(line.parked)));
  put('dueAt', plain(line.dueAt));
  put('result', line.result);
  put('error', plain(line.error && { code: line.error.code, message: line.error.message }));
  put('collapsedRegions', plain(line.collapsedRegions));
  put('collapseReasons', plain(line.collapseReasons));
  return `{${parts.join(',')}}\n`;
}

function plain(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function parkedParts({ path, resource, at, token }: ParkedPlace): ParkedPlace {
  return { path, resource, ...present('at', at), ...present('token', token) };
}
