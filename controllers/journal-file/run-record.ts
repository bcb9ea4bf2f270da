import type { RunError, RunRecord } from '@telorun/sdk/journal';
import { present } from '../journal-sqlite/values.ts';
import type { ParkedPlace } from './run-line.ts';
import type { RunState } from './run-state.ts';
import { firstOpen } from './waits.ts';

/** How values come back that Telo's format holds inexactly. */
export interface ExactValues {
  value(of: 'inputs' | 'result', plain: unknown): unknown;
  error(plain: RunError): RunError;
}

/** A run as its lines tell of it, without what only the system and the claims know. Pure. */
export function recordIn(state: RunState, exact: ExactValues): RunRecord {
  const { run, line, status } = state;
  const waiting = status === 'parked' ? (firstOpen(state.waits()) ?? line?.parked) : undefined;
  const { error } = line ?? {};
  return {
    run,
    status,
    ...present('dueAt', status === line?.status ? line.dueAt : undefined),
    ...present('parked', waiting && parkedPlace(waiting)),
    ...(state.inputs === undefined ? {} : { inputs: exact.value('inputs', state.inputs.value) }),
    ...(line !== undefined && 'result' in line ? { result: exact.value('result', line.result) } : {}),
    ...(error === undefined ? {} : { error: exact.error(error) }),
    ...present('collapsedRegions', line?.collapsedRegions),
    ...present('collapseReasons', line?.collapseReasons),
    ...present('program', state.program),
    ...present('problem', state.problem),
    ...present('createdAt', state.createdAt),
  };
}

/** What Telo's format tells of a wait. Pure. */
export function parkedPlace({ path, resource, token, at }: ParkedPlace): ParkedPlace {
  return { path, resource, ...present('token', token), ...present('at', at) };
}
