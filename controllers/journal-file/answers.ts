import type { AnswerReceipt, AnswerRefusal, FencedJournal, WaitRecord } from '@telorun/sdk/journal';
import { toText } from '../journal-sqlite/values.ts';
import { isCorrupt } from './errors.ts';
import type { Entries } from './entries.ts';
import type { RunFiles } from './run-files.ts';
import type { KnownWait } from './run-state.ts';
import type { Store } from './store.ts';
import { waitRecord } from './waits.ts';

export type AnswerSelector = Parameters<FencedJournal['answer']>[0];
export type AnswerValidator = Parameters<FencedJournal['answer']>[2];

interface Place {
  readonly run: string;
  readonly path: string;
}

/** Gives answers to waits. The lock of the run decides which of two answers, or of an answer and a timeout, counts. */
export class Answers {
  readonly #store: Store;
  readonly #entries: Entries;

  constructor(store: Store, entries: Entries) {
    this.#store = store;
    this.#entries = entries;
  }

  /** Durable: the entry, which is the wait's state, and the run's status are one write. Executes nothing. */
  give(selector: AnswerSelector, payload: unknown, validate: AnswerValidator): AnswerReceipt {
    const named = 'run' in selector ? selector : undefined;
    toText(payload, { run: named?.run ?? '', path: named?.path ?? '' });
    if (named !== undefined) return this.#toRun(named, payload, validate);
    const places = 'token' in selector ? this.underToken(selector.token) : [];
    const newest = places.at(-1);
    if (newest === undefined) return { delivered: false, reason: 'unknown-token' };
    const open = places.filter(({ wait }) => wait.state === 'open');
    const [first = newest, another] = open;
    if (another !== undefined)
      return refusal(
        'several-open-waits',
        first.files,
        open.map(({ record }) => record),
      );
    return this.#toRun({ run: first.record.run, path: first.wait.wait.path }, payload, validate);
  }

  /** Every wait under a token, run by run, those of one run in the order of recording. A damaged run has none. */
  underToken(token: string) {
    return this.#store.runs().flatMap((run) => {
      try {
        return this.#store.reading(run, (files) =>
          files.state
            .waits()
            .filter(({ wait }) => wait.token === token)
            .map((wait) => ({ files, wait, record: waitRecord(run, wait, this.#store.now()) })),
        );
      } catch (error) {
        if (isCorrupt(error)) return [];
        throw error;
      }
    });
  }

  #toRun({ run, path }: Partial<Place> & { run: string }, payload: unknown, validate: AnswerValidator): AnswerReceipt {
    return this.#store.writing(run, (files) => {
      if (!files.known) return { delivered: false, reason: 'unknown-run', run };
      const all = files.state.waits();
      const named = path === undefined ? all : all.filter(({ wait }) => wait.path === path);
      const open = named.filter(({ state }) => state === 'open');
      // A wait for an instant alone is not a question: only its path names it for an answer.
      const asked =
        path === undefined ? open.filter(({ wait: { token, at } }) => token !== undefined || at === undefined) : open;
      const [chosen, another] = asked;
      if (chosen === undefined) return whyNot(files, named, path === undefined);
      if (another !== undefined) {
        return refusal(
          'several-open-waits',
          files,
          asked.map((wait) => waitRecord(run, wait, this.#store.now())),
        );
      }
      return this.#deliver(files, chosen, payload, validate);
    });
  }

  #deliver(files: RunFiles, { wait }: KnownWait, payload: unknown, validate: AnswerValidator): AnswerReceipt {
    // A decision at a park path is bookkeeping of the step that parked there (a retry): its wait takes no answer.
    if (files.state.entries.has(wait.path)) return refusal('no-open-wait', files);
    const problems = wait.schema === undefined ? [] : (validate?.(wait.schema, payload) ?? []);
    if (problems.length > 0) return { delivered: false, reason: 'schema', run: files.run, problems };
    this.#entries.deliverAt(files, wait.path, payload);
    return { delivered: true, run: files.run, path: wait.path };
  }
}

/** Why none of the waits takes an answer: the newest of them tells, for a person who answers twice or too late. */
function whyNot(files: RunFiles, waits: readonly KnownWait[], implicit: boolean): AnswerReceipt {
  const { settled } = files.state;
  if (implicit && settled) return refusal('terminal', files);
  const state = waits.at(-1)?.state;
  if (state === 'answered') return refusal('already-answered', files);
  if (settled) return refusal('terminal', files);
  return refusal(state === 'closed' ? 'closed' : 'no-open-wait', files);
}

function refusal(reason: AnswerRefusal, { run, state }: RunFiles, waits?: readonly WaitRecord[]): AnswerReceipt {
  return { delivered: false, reason, run, status: state.status, ...(waits === undefined ? {} : { waits }) };
}
