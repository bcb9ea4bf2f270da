import type { JournalEntry, RunProgram, RunError, RunStatus, Wait, WaitRecord } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../journal-sqlite/errors.ts';
import type { LogLine } from './log-file.ts';
import { type ExactPart, readOwnLine } from './own-line.ts';
import { type RunLine, readTeloLine } from './run-line.ts';

const TERMINAL: ReadonlySet<RunStatus> = new Set<RunStatus>(['completed', 'failed', 'cancelled']);

/** Who may write, as the newest claim or release says. */
export interface ClaimView {
  readonly fence: number;
  readonly holder?: string;
  /** Epoch milliseconds. */
  readonly until?: number;
  readonly owner?: string;
}

interface KeptWait {
  readonly wait: Wait;
  /** Epoch milliseconds; unknown for what Telo's format alone tells of. */
  readonly since: number | undefined;
  fence: number;
  closed: boolean;
}

export interface KnownWait {
  readonly wait: Wait;
  readonly since: number | undefined;
  readonly fence: number;
  readonly state: WaitRecord['state'];
}

export interface LinePlace {
  readonly start: number;
  readonly length: number;
  readonly step: boolean;
}

/** All that the two files of a run say so far, but for the values: those are read again where they are wanted. */
export class RunState {
  readonly run: string;
  /** How the run stands; undefined before its first line. */
  line: RunLine | undefined;
  /** Whether that line is the last one, and what it waits for is not answered. */
  #parkedPath: string | undefined;
  readonly entries = new Map<string, LinePlace>();
  claim: ClaimView = { fence: 0 };
  problem: RunError | undefined;
  program: RunProgram | undefined;
  createdAt: number | undefined;
  inputs: { readonly value: unknown } | undefined;
  readonly #waits = new Map<string, KeptWait>();
  readonly #foreign = new Map<string, Wait>();
  readonly #modules = new Map<string, string>();
  readonly #exact = new Map<string, Omit<LinePlace, 'step'>>();

  constructor(run: string) {
    this.run = run;
  }

  get settled(): boolean {
    return this.line !== undefined && TERMINAL.has(this.line.status);
  }

  /** A run whose wait has an answer on record is running, also where the line that says so was never written. */
  get status(): RunStatus {
    const status = this.line?.status ?? 'running';
    if (status !== 'parked') return status;
    const answered = this.waits().some(({ state, fence }) => state === 'answered' && fence === this.claim.fence);
    const here = this.#parkedPath === undefined ? undefined : this.entries.get(this.#parkedPath);
    return answered || here?.step === true ? 'running' : 'parked';
  }

  /** Takes in one line of the file in Telo's format. Throws UnreadableRecord. */
  takeTelo({ value, start, length }: LogLine): void {
    const line = readTeloLine(value, this.run);
    if (line.type === 'entry') {
      if (this.line === undefined) throw new UnreadableRecord('its first line is not that of a run');
      const { path, kind } = line.entry;
      if (!this.entries.has(path)) this.entries.set(path, { start, length, step: kind === 'step' });
      return;
    }
    const { parked, inputs } = line.run;
    if ('inputs' in line.run) this.inputs = { value: inputs };
    this.line = line.run;
    this.#parkedPath = parked?.path;
    if (parked !== undefined) this.#foreign.set(parked.path, parked);
  }

  /** Takes in one line of our own file. Throws UnreadableRecord. */
  takeOwn({ value, start, length }: LogLine): void {
    const line = readOwnLine(value);
    switch (line.type) {
      case 'admitted':
        this.createdAt = line.at;
        this.program = line.program;
        return;
      case 'claim': {
        const { fence, holder, until, owner } = line;
        if (fence < this.claim.fence) throw new UnreadableRecord('a claim is older than the one before it');
        this.claim = { fence, holder, until, owner };
        this.problem = undefined;
        return;
      }
      case 'free':
        this.claim = { fence: line.fence };
        this.problem = line.problem;
        return;
      case 'wait':
        this.#takeWait(line.wait, line.since, line.fence);
        return;
      case 'closed': {
        const known = this.#waits.get(line.path);
        if (known !== undefined) known.closed = true;
        return;
      }
      case 'module':
        this.#modules.set(line.path, line.module);
        return;
      case 'exact':
        this.#exact.set(`${line.of} ${line.path}`, { start, length });
        return;
      default:
        line satisfies never;
    }
  }

  exactAt(of: ExactPart, path: string): Omit<LinePlace, 'step'> | undefined {
    return this.#exact.get(`${of} ${path}`);
  }

  /** The module of the target of a step, which Telo's format would take for a URL. */
  moduleAt(path: string): string | undefined {
    return this.#modules.get(path);
  }

  get exactParts(): number {
    return this.#exact.size;
  }

  wait(path: string): KnownWait | undefined {
    return this.waits().find(({ wait }) => wait.path === path);
  }

  /** Every wait, in the order in which they were recorded. What Telo's format alone tells of comes last. */
  waits(): readonly KnownWait[] {
    const own = [...this.#waits.values()].map(({ wait, since, fence, closed }) => ({
      wait,
      since,
      fence,
      state: this.#stateOf(wait.path, closed),
    }));
    const foreign = [...this.#foreign.values()]
      .filter(({ path }) => !this.#waits.has(path))
      .map((wait) => ({ wait, since: undefined, fence: 0, state: this.#stateOfForeign(wait) }));
    return [...own, ...foreign];
  }

  #takeWait(wait: Wait, since: number, fence: number): void {
    const known = this.#waits.get(wait.path);
    if (known === undefined) this.#waits.set(wait.path, { wait, since, fence, closed: false });
    else Object.assign(known, { fence, closed: false });
  }

  #stateOf(path: string, closed: boolean): WaitRecord['state'] {
    if (closed) return 'closed';
    if (this.entries.get(path)?.step === true) return 'answered';
    return this.settled ? 'closed' : 'open';
  }

  /** Telo's format tells of one wait at a time: an earlier one is over. */
  #stateOfForeign({ path, token }: Wait): WaitRecord['state'] {
    if (this.entries.get(path)?.step === true) return token === undefined ? 'closed' : 'answered';
    return this.line?.status === 'parked' && this.#parkedPath === path ? 'open' : 'closed';
  }
}

/** What a line of Telo's format says of an entry. Pure. Throws UnreadableRecord. */
export function entryIn(value: unknown, run: string): JournalEntry {
  const line = readTeloLine(value, run);
  if (line.type !== 'entry') throw new UnreadableRecord('an entry is there and cannot be found');
  return line.entry;
}
