import type { Wait, WaitRecord } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../journal-sqlite/errors.ts';
import { toText } from '../journal-sqlite/values.ts';
import type { OwnLine } from './own-line.ts';
import type { RunFiles } from './run-files.ts';
import type { KnownWait } from './run-state.ts';

/** A wait as its readers get it. Pure. */
export function waitRecord(run: string, { wait, since, state }: KnownWait, at: number): WaitRecord {
  return { ...wait, run, state, since: since ?? at };
}

/**
 * Under the lock: records a wait of the execution with this fence. One that is open or answered stays as it was asked;
 * a closed one opens. Effect.
 *
 * @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE
 */
export function recordWait(files: RunFiles, wait: Wait, { fence, now }: { fence: number; now: number }): KnownWait {
  const where = { run: files.run, path: wait.path };
  toText(wait.schema, where);
  toText(wait.request, where);
  const known = files.state.wait(wait.path);
  if (known?.since === undefined || known.fence !== fence || known.state === 'closed') {
    files.note([{ type: 'wait', fence, since: now, wait: plainWait(wait) }]);
  }
  const recorded = files.state.wait(wait.path);
  if (recorded === undefined) throw new UnreadableRecord('a wait is there and cannot be found');
  return recorded;
}

/** Under the lock: nobody can answer the wait any more. Effect. */
export function closeWait(files: RunFiles, path: string): void {
  const known = files.state.wait(path);
  if (known?.state === 'open' && known.since !== undefined) files.note([{ type: 'closed', path }]);
}

/**
 * Under the lock, when an execution stops: when the run is due because of what this execution waits for. `now` when one
 * wait is answered; undefined when nothing but an answer can wake it. Effect: closes waits whose instant is over.
 */
export function dueAfter(files: RunFiles, { fence, now }: { fence: number; now: number }): number | undefined {
  const elapsed = files.state
    .waits()
    .filter((one) => one.fence < fence && one.state === 'open' && one.since !== undefined)
    .filter(({ wait: { token, at } }) => token === undefined && at !== undefined && at <= now);
  files.note(elapsed.map(({ wait: { path } }): OwnLine => ({ type: 'closed', path })));
  const instants = files.state
    .waits()
    .filter((one) => one.fence === fence && one.since !== undefined && one.state !== 'closed')
    .map(({ state, wait }) => (state === 'answered' ? now : wait.at))
    .filter((at) => at !== undefined);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** The wait that a reader of Telo's contract sees: the first open one of the latest execution. Pure. */
export function firstOpen(waits: readonly KnownWait[]): Wait | undefined {
  const open = waits.filter(({ state }) => state === 'open');
  const latest = Math.max(...open.map(({ fence }) => fence));
  return open.find(({ fence }) => fence === latest)?.wait;
}

/** What was asked at a wait, without its state. Pure. */
export function plainWait({ path, resource, at, token, schema, request }: Wait): Wait {
  return {
    path,
    resource,
    ...(at === undefined ? {} : { at }),
    ...(token === undefined ? {} : { token }),
    ...(schema === undefined ? {} : { schema }),
    ...(request === undefined ? {} : { request }),
  };
}
