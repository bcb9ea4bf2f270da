import type { Wait, WaitRecord } from '@telorun/sdk/journal';
import type { Claims } from './claims.ts';
import type { Digests } from './chain.ts';
import type { SqlRow } from './driver.ts';
import { UnreadableRecord } from './errors.ts';
import type { Store } from './store.ts';
import type { Trail } from './trail.ts';
import { fromText, integerOf, integerOrNull, present, textOf, textOrNull, toText } from './values.ts';
import { waitDigest } from './wait-digest.ts';

const COLUMNS =
  'waits.path, waits.state, waits.since, waits.resource, waits.at, waits.token, waits.schema, waits.request, waits.digest';

// `fence` says which execution parked there last: what an earlier one waited for is no reason to wake this one.
const RECORD = `INSERT INTO waits (run, path, state, fence, since, resource, at, token, schema, request, digest)
  VALUES (:run, :path, :state, :fence, :since, :resource, :at, :token, :schema, :request, :digest)
  ON CONFLICT (run, path) DO UPDATE SET fence = :fence, state = CASE state WHEN 'closed' THEN :state ELSE state END`;
// A wait for an instant that has passed and was not waited for again is over; nobody can answer it.
const CLOSE_ELAPSED = `UPDATE waits SET state = 'closed'
  WHERE run = :run AND fence < :fence AND state = 'open' AND token IS NULL AND at <= :now`;
const DUE = `SELECT count(*) AS waits, min(CASE state WHEN 'open' THEN at ELSE :now END) AS due FROM waits
  WHERE run = :run AND fence = :fence AND state <> 'closed'`;

/** What `entries.kind` says of a step. */
const STEP = 0;

/** A wait with what only the store needs to know. */
export interface StoredWait {
  readonly id: number;
  readonly wait: WaitRecord;
}

export interface WaitRooms {
  readonly store: Store;
  readonly claims: Claims;
  readonly digests: Digests;
  readonly trail: Trail;
}

export class Waits {
  readonly #store: Store;
  readonly #claims: Claims;
  readonly #digests: Digests;
  readonly #trail: Trail;

  constructor({ store, claims, digests, trail }: WaitRooms) {
    this.#store = store;
    this.#digests = digests;
    this.#claims = claims;
    this.#trail = trail;
  }

  /** @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  record(run: string, wait: Wait): WaitRecord {
    return this.#store.writing(run, () => {
      const { id, fence } = this.#claims.mustHold(run);
      this.put(run, id, fence, wait);
      return this.#must(run, id, wait.path);
    });
  }

  /** Inside a transaction: a wait whose path already holds a step entry is answered from the start. */
  put(run: string, id: number, fence: number, wait: Wait): void {
    const where = { run, path: wait.path };
    const answered = this.#trail.at(id, wait.path, this.#claims.held(run)?.known)?.['kind'] === STEP;
    const row = {
      path: wait.path,
      since: this.#store.now(),
      resource: wait.resource,
      at: wait.at ?? null,
      token: wait.token ?? null,
      schema: toText(wait.schema, where),
      request: toText(wait.request, where),
    };
    const state = answered ? 'answered' : 'open';
    this.#store.run(RECORD, { run: id, state, fence, ...row, digest: waitDigest(this.#digests, row, run) });
  }

  /** @throws InvokeError ERR_DURABLE_CLAIM_LOST */
  close(run: string, path: string): 'closed' | 'answered' {
    return this.#store.writing(run, () => {
      const { id } = this.#claims.mustHold(run);
      this.#store.run(`UPDATE waits SET state = 'closed' WHERE run = :id AND path = :path AND state = 'open'`, {
        id,
        path,
      });
      const row = this.#store.get('SELECT state FROM waits WHERE run = :id AND path = :path', { id, path });
      return row?.['state'] === 'answered' ? 'answered' : 'closed';
    });
  }

  read(run: string): readonly WaitRecord[] {
    return this.#store.reading(run, () =>
      this.#store
        .all(`SELECT ${COLUMNS} FROM waits JOIN runs ON runs.id = waits.run WHERE runs.run = :run ORDER BY waits.id`, {
          run,
        })
        .map((row) => this.#genuine(row, run)),
    );
  }

  /** All waits under a token, the oldest first. */
  underToken(token: string): readonly StoredWait[] {
    return this.#store
      .all(
        `SELECT runs.id, runs.run, ${COLUMNS} FROM waits JOIN runs ON runs.id = waits.run
         WHERE waits.token = :token ORDER BY waits.id`,
        { token },
      )
      .map((row) => ({ id: integerOf(row, 'id'), wait: this.#genuine(row, textOf(row, 'run')) }));
  }

  /**
   * The wait that a reader of Telo's contract sees: the first open one of the latest execution, one that can be answered
   * before one for an instant alone. Not held against its digest.
   */
  first(id: number, run: string): WaitRecord | undefined {
    const row = this.#store.get(
      `SELECT ${COLUMNS} FROM waits WHERE run = :id AND state = 'open' ORDER BY fence DESC, token IS NULL, id LIMIT 1`,
      { id },
    );
    return row === undefined ? undefined : waitOf(row, run);
  }

  /**
   * Inside a transaction, when an execution stops: when the run is due because of what this execution waits for.
   * `now` when one wait is answered; undefined when nothing but an answer can wake it.
   */
  dueAfter(id: number, fence: number): number | undefined {
    const now = this.#store.now();
    this.#store.run(CLOSE_ELAPSED, { run: id, fence, now });
    const row = this.#store.get(DUE, { run: id, fence, now });
    return row === undefined ? undefined : (integerOrNull(row, 'due') ?? undefined);
  }

  /** Inside a transaction: nothing of a settled run waits any more. */
  closeAll(id: number): void {
    this.#store.run(`UPDATE waits SET state = 'closed' WHERE run = :id AND state = 'open'`, { id });
  }

  #must(run: string, id: number, path: string): WaitRecord {
    const row = this.#store.get(`SELECT ${COLUMNS} FROM waits WHERE run = :id AND path = :path`, { id, path });
    if (row === undefined) throw new UnreadableRecord('a wait is there and cannot be found');
    return this.#genuine(row, run);
  }

  #genuine(row: SqlRow, run: string): WaitRecord {
    if (row['digest'] !== waitDigest(this.#digests, row, run)) {
      throw new UnreadableRecord('a wait is not what was recorded', { path: textOf(row, 'path') });
    }
    return waitOf(row, run);
  }
}

function waitOf(row: SqlRow, run: string): WaitRecord {
  const state = row['state'];
  if (state !== 'open' && state !== 'answered' && state !== 'closed') {
    throw new UnreadableRecord('a wait is in no known state');
  }
  const schema = textOrNull(row, 'schema');
  const request = textOrNull(row, 'request');
  return {
    run,
    path: textOf(row, 'path'),
    resource: textOf(row, 'resource'),
    state,
    since: integerOf(row, 'since'),
    ...present('at', integerOrNull(row, 'at')),
    ...present('token', textOrNull(row, 'token')),
    ...(schema === null ? {} : { schema: fromText(schema) }),
    ...(request === null ? {} : { request: fromText(request) }),
  };
}
