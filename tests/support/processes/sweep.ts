import type { JournalEntry } from '@telorun/sdk/journal';
import { expect } from 'vitest';
import { driveToEnd, nextCommand } from './drive.ts';
import type { Program } from './drive.ts';
import { Sandbox } from './sandbox.ts';
import type { EnvOf, LogLine, Recorded } from './sandbox.ts';

/** What is swept: a program, and how its folder is made. */
export interface Subject extends Program {
  prepare(sandbox: Sandbox): void;
  /** What its processes have in their environment, by the folder they work in. */
  readonly envOf?: EnvOf;
}

/** One process of an undisturbed run. */
interface Phase {
  readonly args: readonly string[];
  /** Writes of the journal, `call path`. */
  readonly writes: readonly string[];
  /** Changes below the root, `call place`. */
  readonly changes: readonly string[];
  /** The folder as this process found it. */
  readonly before: Sandbox;
}

export interface Undisturbed {
  readonly phases: readonly Phase[];
  readonly end: End;
  readonly log: readonly LogLine[];
}

interface End {
  readonly recorded: Recorded;
  readonly files: Readonly<Record<string, string>>;
  /** What was changed for good, in the order of time: renames by their target, removals, folders; temporary files left out. */
  readonly mutations: readonly string[];
  readonly changes: readonly string[];
}

export interface Point {
  readonly phase: number;
  readonly kind: 'write' | 'change' | 'commit';
  readonly at: number;
  readonly side: 'before' | 'after';
  readonly what: string;
}

const FOR_GOOD: ReadonlySet<string> = new Set(['rename', 'unlink', 'mkdir', 'rmdir', 'link', 'copy', 'truncate']);
const AT_ONCE = 2;
const SIDES = ['before', 'after'] as const;

/** Runs the program once, undisturbed, and keeps its folder as each process found it. Effect. */
export async function undisturbed(subject: Subject): Promise<Undisturbed> {
  const sandbox = new Sandbox(undefined, subject.envOf);
  subject.prepare(sandbox);
  const phases: Phase[] = [];
  for (;;) {
    const args = await nextCommand(sandbox, subject);
    if (args === undefined) break;
    const before = new Sandbox(sandbox);
    const known = sandbox.log().length;
    const ended = await sandbox.command(args);
    if (ended.code !== 0 && ended.code !== 2) throw new Error(`the undisturbed run fails: ${ended.stderr}`);
    const log = sandbox.log().slice(known);
    phases.push({ args, before, writes: writesOf(log), changes: changesOf(log) });
  }
  const result = { phases, end: await endOf(sandbox, subject), log: sandbox.log() };
  sandbox.remove();
  return result;
}

/** Removes the folders that were kept. Effect. */
export function forget({ phases }: Undisturbed): void {
  for (const { before } of phases) before.remove();
}

/** Every point at which the undisturbed run can be killed. Pure. */
export function pointsOf({ phases }: Undisturbed): readonly Point[] {
  return phases.flatMap(({ args, writes, changes }, phase) => {
    const commits = args[0] === 'answer' ? ['the answer'] : [];
    const kinds = { write: writes, change: changes, commit: commits } as const;
    return (['write', 'change', 'commit'] as const).flatMap((kind) =>
      kinds[kind].flatMap((what, index) => SIDES.map((side) => ({ phase, kind, at: index + 1, side, what }))),
    );
  });
}

/** What was read or called once more than undisturbed, and at which point. */
export interface Repeated {
  readonly point: Point;
  readonly again: readonly string[];
  /** Whether a change only looked at its file again, to tell whether it had been made. */
  readonly looked: boolean;
}

/** Kills at each point, brings the run to its end, and compares. Effect. @throws what `expect` throws, with the point */
export async function sweep(
  subject: Subject,
  whole: Undisturbed,
  points = pointsOf(whole),
): Promise<readonly Repeated[]> {
  const left = [...points];
  const repeated: Repeated[] = [];
  const work = async (): Promise<void> => {
    for (let point = left.shift(); point !== undefined; point = left.shift()) {
      const one = await survive(subject, whole, point);
      if (one.again.length > 0) repeated.push(one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return points.flatMap((point) => repeated.filter((one) => one.point === point));
}

/** Kills one process at one point and resumes. Answers what was performed again. Effect. */
async function survive(subject: Subject, whole: Undisturbed, point: Point): Promise<Repeated> {
  const phase = whole.phases[point.phase];
  if (phase === undefined) throw new TypeError('a point is in one of the phases');
  const sandbox = new Sandbox(phase.before);
  const title = describePoint(point);
  try {
    const killed = await sandbox.command(phase.args, faultsAt(point));
    expect(killed).toMatchObject({ signal: 'SIGKILL' });
    const lost = await lostEntry(sandbox, subject, whole);
    await driveToEnd(sandbox, subject);
    const end = await endOf(sandbox, subject);
    expect(end).toEqual(whole.end);
    const again = extra(performedIn(sandbox.log()), performedIn(whole.log));
    // Nothing is performed again but what had lost its record.
    expect(extra(again, repeatable(whole.log, lost))).toEqual([]);
    if (point.kind === 'write' && point.side === 'before' && point.what === `append ${lost ?? ''}`) {
      expect(extra(blockOf(whole.log, lost), again)).toEqual([]);
    }
    return { point, again, looked: isChange(whole, lost) };
  } catch (error) {
    throw new Error(`${title}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    sandbox.remove();
  }
}

export function faultsAt({ kind, at, side }: Pick<Point, 'kind' | 'at' | 'side'>): Readonly<Record<string, string>> {
  const number = String(at);
  switch (kind) {
    case 'write':
      return { FAULTS_KILL_AT: number, FAULTS_SIDE: side };
    case 'change':
      return { FAULTS_FS_KILL_AT: number, FAULTS_FS_SIDE: side };
    case 'commit':
      return { FAULTS_COMMIT_KILL_AT: number, FAULTS_COMMIT_SIDE: side };
    default:
      return kind satisfies never;
  }
}

/** Says where something was performed once more, and how many points there were. Effect. */
export function report(name: string, points: readonly Point[], repeated: readonly Repeated[]): void {
  for (const { point, again, looked } of repeated) {
    console.log(
      `${looked ? 'looked again' : 'performed again'}: ${again.join(', ')}; killed in ${describePoint(point)}`,
    );
  }
  console.log(`${name}: ${String(points.length)} points`);
}

function describePoint({ phase, kind, at, side, what }: Point): string {
  return `process ${String(phase + 1)}, ${side} ${kind} ${String(at)} (${what})`;
}

/** The first entry of the undisturbed run that is not on record. */
async function lostEntry(sandbox: Sandbox, { run }: Program, whole: Undisturbed): Promise<string | undefined> {
  const known = (await sandbox.record(run)) === undefined ? [] : await sandbox.paths(run);
  const recorded = new Set(known);
  return whole.end.recorded.entries.find(({ path }: JournalEntry) => !recorded.has(path))?.path;
}

async function endOf(sandbox: Sandbox, { run }: Program): Promise<End> {
  const log = sandbox.log();
  const mutations = log.flatMap((line) =>
    line.kind === 'fs' && FOR_GOOD.has(line.call) && !line.path.endsWith('TEMPORARY')
      ? [`${line.call} ${line.path}`]
      : [],
  );
  return {
    recorded: await sandbox.recorded(run),
    files: sandbox.files(),
    mutations,
    changes: log.flatMap((line) => (line.kind === 'change' ? [`${line.name} ${line.path}`] : [])),
  };
}

function writesOf(log: readonly LogLine[]): readonly string[] {
  return log.flatMap((line) => (line.kind === 'journal' ? [`${line.call} ${line.path}`] : []));
}

function changesOf(log: readonly LogLine[]): readonly string[] {
  return log.flatMap((line) => (line.kind === 'fs' && line.call !== 'read' ? [`${line.call} ${line.path}`] : []));
}

/** Reads of files and calls of host operations, counted at the provider. */
function performedIn(log: readonly LogLine[]): readonly string[] {
  return log.flatMap((line) => {
    if (line.kind === 'fs' && line.call === 'read') return [`read ${line.path}`];
    return line.kind === 'call' ? [`call ${line.name}`] : [];
  });
}

/** What the undisturbed run read and called between the entry before `path` and `path`. */
function blockOf(log: readonly LogLine[], path: string | undefined): readonly string[] {
  const end = log.findIndex((line) => line.kind === 'journal' && line.call === 'append' && line.path === path);
  if (end < 0) return [];
  const start = log.slice(0, end).findLastIndex((line) => line.kind === 'journal');
  return performedIn(log.slice(start + 1, end));
}

/** What may be performed once more when the record of `lost` is lost: the effect, and the look ahead of it at its file. */
function repeatable(log: readonly LogLine[], lost: string | undefined): readonly string[] {
  if (lost === undefined) return [];
  const target = log.find((line) => line.kind === 'journal' && line.path === lost);
  const start =
    target === undefined ? -1 : log.slice(0, log.indexOf(target)).findLastIndex((line) => line.kind === 'journal');
  const renamed = log
    .slice(start + 1, target === undefined ? 0 : log.indexOf(target))
    .flatMap((line) =>
      line.kind === 'fs' && line.call === 'rename' ? [`read ${line.path}`, `read ${line.path}`] : [],
    );
  return [...blockOf(log, lost), ...blockOf(log, `${lost}/before`), ...renamed];
}

/** Whether an entry belongs to an effect that changes a file, and so looks at it ahead. */
function isChange({ end }: Undisturbed, path: string | undefined): boolean {
  const look = path?.endsWith('/before') === true ? path : `${path ?? ''}/before`;
  return end.recorded.entries.some((entry) => entry.path === look);
}

/** Members of `all` beyond those of `base`, as often as they are there. Pure. */
function extra(all: readonly string[], base: readonly string[]): readonly string[] {
  const left = [...base];
  return all.filter((one) => {
    const found = left.indexOf(one);
    if (found < 0) return true;
    left.splice(found, 1);
    return false;
  });
}
