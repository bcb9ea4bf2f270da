import { decodeJsonValue, encodeJsonValue, InvokeError } from '@telorun/sdk';
import type {
  AnswerReceipt,
  FencedJournal,
  JournalEntry,
  RunError,
  RunOutcome,
  RunRecord,
  RunStart,
  RunStatus,
  Wait,
  WaitRecord,
} from '@telorun/sdk/journal';

interface Claim {
  readonly holder: string;
  readonly fence: number;
  until: number;
}

interface StoredRun {
  readonly run: string;
  readonly start: RunStart;
  status: RunStatus;
  dueAt: number | undefined;
  outcome: RunOutcome | undefined;
  problem: RunError | undefined;
  claim: Claim | undefined;
  fence: number;
  readonly entries: Map<string, string>;
  readonly waits: Map<string, { text: string; state: WaitRecord['state']; fence: number; since: number }>;
}

const TERMINAL: ReadonlySet<RunStatus> = new Set<RunStatus>(['completed', 'failed', 'cancelled']);

/** The runs that several journals share, as several processes share a file. */
export class MemoryStore {
  readonly runs = new Map<string, StoredRun>();
  now: () => number = () => Date.now();

  /** A journal of its own, as another process would open it. */
  connect(): MemoryJournal {
    return new MemoryJournal(this);
  }
}

function toText(value: unknown): string {
  return JSON.stringify(encodeJsonValue(value));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what it wrote
function fromText<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- text that this file wrote from a T
  return decodeJsonValue(JSON.parse(text)) as T;
}

/** A FencedJournal in memory with the rules of the stored one: fences, many waits, first writer wins, values through JSON. */
export class MemoryJournal implements FencedJournal {
  readonly files: readonly string[] = [];
  /** Thrown by the next writes, as a failing disk would. */
  failure: InvokeError | undefined;
  /** Writes so far through this journal. */
  writes = 0;
  readonly #store: MemoryStore;
  readonly #held = new Map<string, { fence: number; ttlMs: number; holder: string }>();

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  async admitRun(run: string, start: RunStart = {}): Promise<{ admitted: boolean; existing?: RunRecord }> {
    this.#write();
    const known = this.#store.runs.get(run);
    if (known !== undefined) return { admitted: false, existing: this.#record(known) };
    this.#store.runs.set(run, {
      run,
      start: fromText<RunStart>(toText(start)),
      status: start.status ?? 'running',
      dueAt: start.dueAt,
      outcome: undefined,
      problem: undefined,
      claim: undefined,
      fence: 0,
      entries: new Map(),
      waits: new Map(),
    });
    return { admitted: true };
  }

  async readRun(run: string): Promise<RunRecord | undefined> {
    const stored = this.#store.runs.get(run);
    return stored === undefined ? undefined : this.#record(stored);
  }

  async listRuns(filter: { status?: RunStatus; limit?: number } = {}): Promise<readonly RunRecord[]> {
    const runs = [...this.#store.runs.values()].filter(
      ({ status }) => filter.status === undefined || status === filter.status,
    );
    return runs.slice(0, filter.limit ?? runs.length).map((stored) => this.#record(stored));
  }

  async dueRuns(now: number, limit: number): Promise<readonly string[]> {
    return [...this.#store.runs.values()]
      .filter((stored) => !TERMINAL.has(stored.status) && !this.#isLive(stored))
      .filter(({ status, dueAt }) => status === 'running' || (dueAt !== undefined && dueAt <= now))
      .slice(0, limit)
      .map(({ run }) => run);
  }

  async readEntries(run: string): Promise<readonly JournalEntry[]> {
    return [...(this.#store.runs.get(run)?.entries.values() ?? [])].map((text) => fromText<JournalEntry>(text));
  }

  async append(run: string, entry: JournalEntry): Promise<JournalEntry> {
    this.#write();
    const text = toText(entry);
    const stored = this.#current(run) ?? this.#answered(run, entry) ?? this.#mustHold(run);
    const known = stored.entries.get(entry.path);
    if (known !== undefined) return fromText<JournalEntry>(known);
    stored.entries.set(entry.path, text);
    const wait = stored.waits.get(entry.path);
    if (entry.kind === 'step' && wait?.state === 'open') wait.state = 'closed';
    return fromText<JournalEntry>(text);
  }

  async claimRun(run: string, holder: string, ttlMs: number): Promise<boolean> {
    this.#write();
    const stored = this.#store.runs.get(run);
    if (stored === undefined || TERMINAL.has(stored.status)) return false;
    if (this.#isLive(stored) && stored.claim?.holder !== holder) return false;
    stored.fence += 1;
    stored.claim = { holder, fence: stored.fence, until: this.#store.now() + ttlMs };
    this.#held.set(run, { fence: stored.fence, ttlMs, holder });
    return true;
  }

  checkClaim(run: string): void {
    this.#mustHold(run);
  }

  async renewClaim(run: string): Promise<boolean> {
    this.#write();
    const held = this.#held.get(run);
    const stored = this.#store.runs.get(run);
    if (held === undefined || stored?.claim === undefined || stored.claim.fence !== held.fence) return false;
    stored.claim.until = this.#store.now() + held.ttlMs;
    return true;
  }

  async releaseRun(run: string, problem?: RunError): Promise<void> {
    this.#write();
    const stored = this.#current(run);
    this.#held.delete(run);
    if (stored === undefined) return;
    stored.claim = undefined;
    stored.problem = problem;
  }

  async completeRun(run: string, outcome: RunOutcome): Promise<void> {
    this.#write();
    const text = toText(outcome);
    const stored = this.#mustHold(run);
    this.#held.delete(run);
    this.#settle(stored, fromText<RunOutcome>(text));
  }

  async cancelRun(run: string, reason = 'The run was cancelled.'): Promise<boolean> {
    this.#write();
    const stored = this.#store.runs.get(run);
    if (stored === undefined || TERMINAL.has(stored.status)) return false;
    stored.fence += 1;
    this.#settle(stored, { status: 'cancelled', error: { code: 'ERR_DURABLE_RUN_CANCELLED', message: reason } });
    return true;
  }

  async recordWait(run: string, wait: Wait): Promise<WaitRecord> {
    this.#write();
    const stored = this.#mustHold(run);
    const answered = this.#entry(stored, wait.path)?.kind === 'step';
    const known = stored.waits.get(wait.path);
    if (known === undefined) {
      stored.waits.set(wait.path, {
        text: toText(wait),
        state: answered ? 'answered' : 'open',
        fence: stored.fence,
        since: this.#store.now(),
      });
    } else {
      known.fence = stored.fence;
      if (known.state === 'closed') known.state = answered ? 'answered' : 'open';
    }
    return this.#wait(stored, wait.path);
  }

  async closeWait(run: string, path: string): Promise<'closed' | 'answered'> {
    this.#write();
    const wait = this.#mustHold(run).waits.get(path);
    if (wait?.state === 'open') wait.state = 'closed';
    return wait?.state === 'answered' ? 'answered' : 'closed';
  }

  async readWaits(run: string): Promise<readonly WaitRecord[]> {
    const stored = this.#store.runs.get(run);
    return stored === undefined ? [] : [...stored.waits.keys()].map((path) => this.#wait(stored, path));
  }

  async suspendRun(run: string): Promise<RunRecord> {
    this.#write();
    const stored = this.#mustHold(run);
    const now = this.#store.now();
    const waits = [...stored.waits.entries()]
      .filter(([, { fence, state }]) => fence === stored.fence && state !== 'closed')
      .map(([path]) => this.#wait(stored, path));
    const due = waits.flatMap(({ state, at }) => (state === 'answered' ? [now] : at === undefined ? [] : [at]));
    const dueAt = due.length === 0 ? undefined : Math.min(...due);
    stored.status = dueAt !== undefined && dueAt <= now ? 'running' : 'parked';
    stored.dueAt = dueAt;
    stored.claim = undefined;
    stored.problem = undefined;
    this.#held.delete(run);
    return this.#record(stored);
  }

  async parkRun(run: string, wait: Wait): Promise<void> {
    await this.recordWait(run, wait);
    await this.suspendRun(run);
  }

  async unparkRun(run: string): Promise<void> {
    this.#write();
    const stored = this.#store.runs.get(run);
    if (stored?.status !== 'parked') return;
    stored.status = 'running';
    stored.dueAt = undefined;
  }

  async runParkedOn(token: string): Promise<string | undefined> {
    const open = [...this.#store.runs.values()].flatMap((stored) =>
      [...stored.waits.keys()].map((path) => this.#wait(stored, path)),
    );
    return open.find((wait) => wait.token === token && wait.state === 'open')?.run;
  }

  async answer(
    selector: { readonly run: string; readonly path?: string } | { readonly token: string },
    payload: unknown,
    validate?: (schema: unknown, payload: unknown) => readonly string[],
  ): Promise<AnswerReceipt> {
    this.#write();
    const runs = 'run' in selector ? [this.#store.runs.get(selector.run)] : [...this.#store.runs.values()];
    const found = runs
      .filter((stored) => stored !== undefined)
      .flatMap((stored) => [...stored.waits.keys()].map((path) => ({ stored, wait: this.#wait(stored, path) })))
      .filter(({ wait }) => ('token' in selector ? wait.token === selector.token : isNamed(wait, selector.path)));
    const open = found.filter(({ wait }) => wait.state === 'open');
    const [first, second] = open;
    if (first === undefined) {
      if (found.length === 0)
        return { delivered: false, reason: 'token' in selector ? 'unknown-token' : 'no-open-wait' };
      const state = found.at(-1)?.wait.state;
      return { delivered: false, reason: state === 'answered' ? 'already-answered' : 'closed' };
    }
    const { stored, wait } = first;
    if (second !== undefined) return { delivered: false, reason: 'several-open-waits', run: stored.run };
    const problems = wait.schema === undefined ? [] : (validate?.(wait.schema, payload) ?? []);
    if (problems.length > 0) return { delivered: false, reason: 'schema', run: stored.run, problems };
    stored.entries.set(wait.path, toText({ path: wait.path, kind: 'step', value: payload }));
    const held = stored.waits.get(wait.path);
    if (held !== undefined) held.state = 'answered';
    if (stored.status === 'parked') {
      stored.status = 'running';
      stored.dueAt = undefined;
    }
    return { delivered: true, run: stored.run, path: wait.path };
  }

  close(): void {
    this.#held.clear();
  }

  #write(): void {
    if (this.failure !== undefined) throw this.failure;
    this.writes += 1;
  }

  #isLive({ claim }: StoredRun): boolean {
    return claim !== undefined && claim.until > this.#store.now();
  }

  #current(run: string): StoredRun | undefined {
    const stored = this.#store.runs.get(run);
    const held = this.#held.get(run);
    if (stored === undefined || held === undefined || TERMINAL.has(stored.status)) return undefined;
    return held.fence === stored.fence ? stored : undefined;
  }

  /** The run of an open wait that this entry answers: the one thing that is written without a claim. */
  #answered(run: string, { path, kind, target }: JournalEntry): StoredRun | undefined {
    const stored = this.#store.runs.get(run);
    const wait = stored?.waits.get(path);
    if (stored === undefined || wait?.state !== 'open' || kind !== 'step' || target !== undefined) return undefined;
    wait.state = 'answered';
    return stored;
  }

  #mustHold(run: string): StoredRun {
    const stored = this.#current(run);
    if (stored !== undefined) return stored;
    throw new InvokeError('ERR_DURABLE_CLAIM_LOST', `Cannot write run "${run}": its claim is lost`, { run });
  }

  #settle(stored: StoredRun, outcome: RunOutcome): void {
    stored.status = outcome.status;
    stored.outcome = outcome;
    stored.claim = undefined;
    stored.dueAt = undefined;
    stored.problem = undefined;
    for (const wait of stored.waits.values()) if (wait.state === 'open') wait.state = 'closed';
  }

  #entry(stored: StoredRun, path: string): JournalEntry | undefined {
    const text = stored.entries.get(path);
    return text === undefined ? undefined : fromText<JournalEntry>(text);
  }

  #wait(stored: StoredRun, path: string): WaitRecord {
    const held = stored.waits.get(path);
    if (held === undefined) throw new TypeError(`no wait at ${path}`);
    return { ...fromText<Wait>(held.text), run: stored.run, state: held.state, since: held.since };
  }

  #record(stored: StoredRun): RunRecord {
    const { run, status, start, outcome, dueAt, problem } = stored;
    const parked = [...stored.waits.keys()]
      .map((path) => this.#wait(stored, path))
      .find((wait) => wait.state === 'open');
    return {
      run,
      status,
      ...(dueAt === undefined ? {} : { dueAt }),
      ...(status === 'parked' && parked !== undefined ? { parked } : {}),
      ...('inputs' in start ? { inputs: start.inputs } : {}),
      ...(start.program === undefined ? {} : { program: start.program }),
      ...(outcome !== undefined && 'result' in outcome ? { result: outcome.result } : {}),
      ...(outcome?.error === undefined ? {} : { error: outcome.error }),
      ...(outcome?.collapsedRegions === undefined ? {} : { collapsedRegions: outcome.collapsedRegions }),
      ...(outcome?.collapseReasons === undefined ? {} : { collapseReasons: outcome.collapseReasons }),
      ...(problem === undefined ? {} : { problem }),
      claimed: this.#isLive(stored),
    };
  }
}

function isNamed(wait: WaitRecord, path: string | undefined): boolean {
  return path === undefined || wait.path === path;
}
