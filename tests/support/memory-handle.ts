import {
  assertFaithful,
  decodeJsonValue,
  encodeJsonValue,
  InvokeError,
  type DecisionKind,
  type DurableRunHandle,
  type DurableTarget,
  type ParkPlace,
  type ParkUntil,
  type ZoneEntry,
  type ZoneModeInfo,
} from '@telorun/sdk';

export interface MemoryEntry {
  readonly path: string;
  readonly kind: 'step' | 'decision';
  readonly decision?: DecisionKind;
  readonly target?: DurableTarget;
  /** JSON text; undefined for an undefined value, as in a journal. */
  readonly text: string | undefined;
}

export interface MemoryWait extends ParkPlace, ParkUntil {
  readonly answered: boolean;
}

/** What a run throws once it is "killed": nothing of it may be caught, and nothing more is written. */
class Killed extends Error {
  readonly code = 'ERR_DURABLE_JOURNAL_UNAVAILABLE';
}

export interface MemoryRunOptions {
  readonly runId?: string;
  /** Zones whose atomicity the records of this run join. */
  readonly writesInside?: (zone: ZoneEntry) => boolean;
  /** False: handles without `recorded`, like those of SDK 0.80. */
  readonly withRecorded?: boolean;
}

function encode(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(encodeJsonValue(value));
}

function decode(text: string | undefined): unknown {
  return text === undefined ? undefined : decodeJsonValue(JSON.parse(text));
}

function sameTarget(recorded: DurableTarget, reached: DurableTarget): boolean {
  const { module } = recorded;
  return (
    recorded.kind === reached.kind &&
    recorded.name === reached.name &&
    (module === undefined || reached.module === undefined || module === reached.module)
  );
}

/**
 * One durable run in memory. Its entries outlive its handles: `open()` is a new execution of the same run, as a restarted
 * process would make it. Values go through JSON text, so that a first execution answers what a replay answers.
 */
export class MemoryRun {
  readonly runId: string;
  readonly entries = new Map<string, MemoryEntry>();
  readonly waits: MemoryWait[] = [];
  readonly zoneModes: ZoneModeInfo[] = [];
  /** Writes so far (entries and waits) over all executions; effects executed; decisions computed; entries replayed. */
  readonly counts = { writes: 0, executed: 0, computed: 0, replayed: 0 };
  readonly options: MemoryRunOptions;
  #killAt = Number.POSITIVE_INFINITY;

  constructor(options: MemoryRunOptions = {}) {
    this.options = options;
    this.runId = options.runId ?? 'run-1';
  }

  /** A new execution of this run. Each has a handle of its own, and a former kill is over. */
  open(): DurableRunHandle {
    this.#killAt = Number.POSITIVE_INFINITY;
    return this.#handle();
  }

  /**
   * A new execution that dies at its write number `write` (from 0): that write and every later call of its handle throw
   * `Killed`, and nothing is recorded.
   */
  openKilledAt(write: number): DurableRunHandle {
    this.#killAt = this.counts.writes + write;
    return this.#handle();
  }

  /** Keys in the order they were written. */
  keys(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** The value on record at `path`, decoded. */
  value(path: string): unknown {
    const entry = this.entries.get(path);
    if (entry === undefined) throw new Error(`Nothing is recorded at ${path}`);
    return decode(entry.text);
  }

  /** Answers the wait at `path`: its payload becomes the step's entry. A decision at that path does not stand in the way. */
  deliver(path: string, payload: unknown): boolean {
    const index = this.waits.findIndex((wait) => wait.path === path && !wait.answered);
    const wait = this.waits[index];
    if (wait === undefined) return false;
    this.waits[index] = { ...wait, answered: true };
    if (!this.entries.has(path)) this.entries.set(path, { path, kind: 'step', text: encode(payload) });
    return true;
  }

  write(entry: MemoryEntry): MemoryEntry {
    this.tick();
    const existing = this.entries.get(entry.path);
    if (existing !== undefined) return existing;
    this.entries.set(entry.path, entry);
    return entry;
  }

  tick(): void {
    if (this.counts.writes >= this.#killAt) throw new Killed('The process of this run was killed');
    this.counts.writes += 1;
  }

  #handle(): DurableRunHandle {
    const handle = new MemoryHandle(this);
    if (this.options.withRecorded === false) Object.defineProperty(handle, 'recorded', { value: undefined });
    return handle;
  }
}

class MemoryHandle implements DurableRunHandle {
  readonly runId: string;
  readonly #run: MemoryRun;
  readonly #parked: string[] = [];
  #lost: unknown;

  constructor(run: MemoryRun) {
    this.#run = run;
    this.runId = run.runId;
  }

  async step(
    path: string,
    target: DurableTarget | undefined,
    _inputs: unknown,
    execute: () => Promise<unknown>,
  ): Promise<unknown> {
    this.#check();
    const recorded = this.#run.entries.get(path);
    if (recorded !== undefined) return this.#replay(recorded, target);
    this.#run.counts.executed += 1;
    const value = await execute();
    this.#check();
    assertFaithful(value, { run: this.runId, path });
    const entry = { path, kind: 'step', text: encode(value), ...(target === undefined ? {} : { target }) } as const;
    return decode(this.#write(entry).text);
  }

  async decide<T>(path: string, decision: DecisionKind, compute: () => T): Promise<T> {
    this.#check();
    const recorded = this.#run.entries.get(path);
    if (recorded === undefined) {
      this.#run.counts.computed += 1;
      const value = compute();
      assertFaithful(value, { run: this.runId, path });
      const stored = this.#write({ path, kind: 'decision', decision, text: encode(value) });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value on record, verbatim
      return decode(stored.text) as T;
    }
    this.#run.counts.replayed += 1;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value on record, verbatim
    return decode(recorded.text) as T;
  }

  async park(where: ParkPlace, until: ParkUntil): Promise<never> {
    this.#check();
    this.#ticking(() => this.#run.tick());
    this.#parked.push(where.path);
    const { waits } = this.#run;
    if (!waits.some((wait) => wait.path === where.path)) waits.push({ ...where, ...until, answered: false });
    throw Object.assign(new Error('The run is parked'), { code: 'ERR_DURABLE_SUSPENDED' });
  }

  writesInside(zone: ZoneEntry): boolean {
    return this.#run.options.writesInside?.(zone) ?? false;
  }

  noteZoneMode(info: ZoneModeInfo): void {
    this.#run.zoneModes.push(info);
  }

  parkedBelow(path: string): boolean {
    return this.#parked.some((parked) => parked === path || parked.startsWith(`${path}/`));
  }

  recorded(path: string): boolean {
    return this.#run.entries.has(path);
  }

  #replay(recorded: MemoryEntry, reached: DurableTarget | undefined): unknown {
    if (recorded.target !== undefined && reached !== undefined && !sameTarget(recorded.target, reached)) {
      throw new InvokeError(
        'ERR_JOURNAL_ENTRY_MISMATCH',
        `Cannot replay "${recorded.path}": another target is recorded`,
        {
          run: this.runId,
          path: recorded.path,
          recorded: recorded.target,
          reached,
        },
      );
    }
    this.#run.counts.replayed += 1;
    return decode(recorded.text);
  }

  #write(entry: MemoryEntry): MemoryEntry {
    return this.#ticking(() => this.#run.write(entry));
  }

  /** A handle that could not write once throws the same ever after. */
  #ticking<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      this.#lost = error;
      throw error;
    }
  }

  #check(): void {
    if (this.#lost !== undefined) throw this.#lost;
  }
}
