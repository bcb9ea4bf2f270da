import { UnreadableRecord } from '../../journal-sqlite/errors.ts';
import { own } from '../shapes.ts';

type Members = ReadonlySet<string>;

const ENTRY_LINE: Members = new Set(['type', 'entry']);
const ENTRY: Members = new Set(['path', 'kind', 'decision', 'value', 'target']);
const PARKED: Members = new Set(['path', 'resource', 'at', 'token']);
const ERROR: Members = new Set(['code', 'message', 'data']);
const RUN_LINE: Members = new Set([
  'type',
  'run',
  'status',
  'inputs',
  'parked',
  'dueAt',
  'result',
  'error',
  'collapsedRegions',
  'collapseReasons',
]);

/**
 * Refuses a line with a member that would be lost: what it means is not known, so neither is whether the run goes on
 * rightly without it. Pure. Throws UnreadableRecord.
 */
export function assertKnownMembers(line: unknown): void {
  if (!isObject(line)) return;
  if (Object.hasOwn(line, 'entry')) {
    assertOf(line, ENTRY_LINE);
    assertOf(own(line, 'entry'), ENTRY);
    return;
  }
  assertOf(line, RUN_LINE);
  assertOf(own(line, 'parked'), PARKED);
  assertOf(own(line, 'error'), ERROR);
}

function assertOf(value: unknown, members: Members): void {
  if (!isObject(value)) return;
  const stranger = Object.keys(value).find((member) => !members.has(member));
  if (stranger !== undefined) throw new UnreadableRecord('it has a member that is not known and would be lost');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
