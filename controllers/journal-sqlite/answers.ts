import type { AnswerReceipt, AnswerRefusal, RunStatus, WaitRecord } from '@telorun/sdk/journal';
import { type Claims, isTerminal } from './claims.ts';
import type { Entries } from './entries.ts';
import { UnreadableRecord } from './errors.ts';
import type { Store } from './store.ts';
import { toText } from './values.ts';
import type { StoredWait, Waits } from './waits.ts';

export type AnswerSelector = { readonly run: string; readonly path?: string } | { readonly token: string };
export type AnswerValidator = (schema: unknown, payload: unknown) => readonly string[];

export interface AnswerRooms {
  readonly store: Store;
  readonly claims: Claims;
  readonly entries: Entries;
  readonly waits: Waits;
}

type Found = { readonly answerable: StoredWait } | { readonly refused: AnswerReceipt };

/** Gives answers to waits. One immediate transaction decides which of two answers, or of an answer and a timeout, counts. */
export class Answers {
  readonly #rooms: AnswerRooms;

  constructor(rooms: AnswerRooms) {
    this.#rooms = rooms;
  }

  /** Durable: the entry, the wait's state and the run's status change together, or nothing does. Executes nothing. */
  give(selector: AnswerSelector, payload: unknown, validate: AnswerValidator | undefined): AnswerReceipt {
    const run = 'run' in selector ? selector.run : undefined;
    const text = toText(payload, { run: run ?? '', path: ('path' in selector ? selector.path : undefined) ?? '' });
    return this.#rooms.store.writing(run, () => {
      const found = 'token' in selector ? this.#underToken(selector.token) : this.#ofRun(selector.run, selector.path);
      if ('refused' in found) return found.refused;
      const { id, wait } = found.answerable;
      const problems = wait.schema === undefined ? [] : (validate?.(wait.schema, payload) ?? []);
      if (problems.length > 0) return { ...refuse('schema', wait.run), problems };
      this.#rooms.entries.deliverAt({ id, run: wait.run }, wait.path, text);
      return { delivered: true, run: wait.run, path: wait.path };
    });
  }

  /**
   * The run whose record shows the wait of this token as its `parked`: whoever has no more than Telo's contract gives its
   * answer there. Another wait of that run has its turn once this one has its answer.
   */
  runUnder(token: string): string | undefined {
    const { store, waits, claims } = this.#rooms;
    return store.reading(undefined, () => {
      const shown = waits
        .underToken(token)
        .find(
          ({ id, wait }) => claims.read(wait.run)?.status === 'parked' && waits.first(id, wait.run)?.path === wait.path,
        );
      return shown?.wait.run;
    });
  }

  #underToken(token: string): Found {
    const all = this.#rooms.waits.underToken(token);
    const newest = all.at(-1);
    if (newest === undefined) return { refused: { delivered: false, reason: 'unknown-token' } };
    return this.#choose(all, { run: newest.wait.run, status: this.#status(newest.wait.run), implicit: false });
  }

  #ofRun(run: string, path: string | undefined): Found {
    const state = this.#rooms.claims.read(run);
    if (state === undefined) return { refused: refuse('unknown-run', run) };
    const all = this.#rooms.waits.read(run).map((wait) => ({ id: state.id, wait }));
    const named = path === undefined ? all : all.filter(({ wait }) => wait.path === path);
    return this.#choose(named, { run, status: statusOf(state.status), implicit: path === undefined });
  }

  #choose(candidates: readonly StoredWait[], about: About): Found {
    const open = candidates.filter(({ wait }) => wait.state === 'open');
    // A wait for an instant alone is not a question: only its path names it for an answer.
    const asked = about.implicit ? open.filter(({ wait }) => wait.token !== undefined || wait.at === undefined) : open;
    const [answerable, another] = asked;
    if (answerable === undefined) return { refused: whyNot(candidates, about) };
    if (another !== undefined) {
      const waits = asked.map(({ wait }) => wait);
      return { refused: { ...refuse('several-open-waits', about.run, about.status), waits } };
    }
    // A decision at a park path is bookkeeping of the step that parked there (a retry): its wait takes no answer.
    if (this.#rooms.entries.find(answerable.id, answerable.wait.path) !== undefined) {
      return { refused: refuse('no-open-wait', about.run, about.status) };
    }
    return { answerable };
  }

  #status(run: string): RunStatus {
    const state = this.#rooms.claims.read(run);
    if (state === undefined) throw new UnreadableRecord('a wait belongs to no run');
    return statusOf(state.status);
  }
}

interface About {
  readonly run: string;
  readonly status: RunStatus;
  /** Whether the wait was left to be found, instead of being named. */
  readonly implicit: boolean;
}

/** Why none of the waits takes an answer: the newest of them tells, for a person who answers twice or too late. */
function whyNot(candidates: readonly StoredWait[], { run, status, implicit }: About): AnswerReceipt {
  if (implicit && isTerminal(status)) return refuse('terminal', run, status);
  const newest: WaitRecord | undefined = candidates.at(-1)?.wait;
  if (newest?.state === 'answered') return refuse('already-answered', run, status);
  if (isTerminal(status)) return refuse('terminal', run, status);
  if (newest?.state === 'closed') return refuse('closed', run, status);
  return refuse('no-open-wait', run, status);
}

function refuse(reason: AnswerRefusal, run: string, status?: RunStatus) {
  return { delivered: false as const, reason, run, ...(status === undefined ? {} : { status }) };
}

function statusOf(status: string): RunStatus {
  switch (status) {
    case 'scheduled':
    case 'running':
    case 'parked':
    case 'completed':
    case 'failed':
    case 'cancelled':
      return status;
    default:
      throw new UnreadableRecord('a run has no known status');
  }
}
