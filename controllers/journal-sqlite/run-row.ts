import type { RunError, RunProgram, RunRecord, RunStatus, WaitRecord } from '@telorun/sdk/journal';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';
import { fromText, integerOf, integerOrNull, present, textOf, textOrNull } from './values.ts';

export const RUN_COLUMNS = `id, run, status, holder, claim_until, owner, due_at, created_at, updated_at, program, problem,
  error, collapsed_regions, collapse_reasons, inputs, result, seal`;

const STATUSES: ReadonlySet<string> = new Set(['scheduled', 'running', 'parked', 'completed', 'failed', 'cancelled']);

export interface RunSurroundings {
  readonly wait: WaitRecord | undefined;
  readonly claimed: boolean;
}

/** The record that a row of `runs` is. Pure. Throws UnreadableRecord for what the journal never writes. */
export function runOf(row: SqlRow, { wait, claimed }: RunSurroundings): RunRecord {
  const status = statusOf(row);
  const inputs = textOrNull(row, 'inputs');
  const result = textOrNull(row, 'result');
  const reasons = textOrNull(row, 'collapse_reasons');
  return {
    run: textOf(row, 'run'),
    status,
    ...present('dueAt', integerOrNull(row, 'due_at')),
    ...present('parked', status === 'parked' && wait !== undefined ? parkOf(wait) : undefined),
    ...(inputs === null ? {} : { inputs: fromText(inputs) }),
    ...(result === null ? {} : { result: fromText(result) }),
    ...present('error', errorOf(textOrNull(row, 'error'))),
    ...present('collapsedRegions', integerOrNull(row, 'collapsed_regions')),
    ...present('collapseReasons', reasons === null ? undefined : reasonsOf(fromText(reasons))),
    ...present('program', programOf(textOrNull(row, 'program'))),
    ...present('problem', errorOf(textOrNull(row, 'problem'))),
    createdAt: integerOf(row, 'created_at'),
    updatedAt: integerOf(row, 'updated_at'),
    claimed,
  };
}

function statusOf(row: SqlRow): RunStatus {
  const status = textOf(row, 'status');
  if (!isStatus(status)) throw new UnreadableRecord('a run has no known status');
  return status;
}

function isStatus(status: string): status is RunStatus {
  return STATUSES.has(status);
}

function parkOf(wait: WaitRecord): NonNullable<RunRecord['parked']> {
  return {
    path: wait.path,
    resource: wait.resource,
    ...present('token', wait.token),
    ...present('at', wait.at),
  };
}

function errorOf(text: string | null): RunError | undefined {
  if (text === null) return undefined;
  const value = fromText(text);
  if (typeof value === 'object' && value !== null && 'code' in value && 'message' in value) {
    const { code, message } = value;
    if (typeof code === 'string' && typeof message === 'string') {
      return { code, message, ...('data' in value ? { data: value.data } : {}) };
    }
  }
  throw new UnreadableRecord('a recorded error is not one');
}

function programOf(text: string | null): RunProgram | undefined {
  if (text === null) return undefined;
  const value = fromText(text);
  if (typeof value === 'object' && value !== null && 'manifest' in value && 'workflow' in value && 'digest' in value) {
    const { manifest, workflow, digest } = value;
    if (typeof manifest === 'string' && typeof workflow === 'string' && typeof digest === 'string') {
      return { manifest, workflow, digest };
    }
  }
  throw new UnreadableRecord('a recorded program is not one');
}

function reasonsOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((reason): reason is string => typeof reason === 'string')) return value;
  throw new UnreadableRecord('recorded reasons are not a list of texts');
}
