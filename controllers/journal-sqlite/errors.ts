import { InvokeError } from '@telorun/sdk';

/** Where a failure happened, as its data tells. */
export interface JournalPlace {
  readonly file: string;
  readonly run?: string;
  /** Which record of the run: its place from 1 in the order of writing, and its step path. */
  readonly seq?: number;
  readonly path?: string;
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const LOCKED: Problem = {
  code: 'ERR_DURABLE_JOURNAL_LOCKED',
  message: 'Another process holds the journal and did not let go in time.',
  hint: 'Wait for the process that writes this journal, or end it when it is stopped, and try again.',
};
const FULL: Problem = {
  code: 'ERR_DURABLE_JOURNAL_FULL',
  message: 'The disk that holds the journal is full.',
  hint: 'Free space on that disk and resume the run; nothing recorded is lost.',
};
const READONLY: Problem = {
  code: 'ERR_DURABLE_JOURNAL_READONLY',
  message: 'The journal cannot be written.',
  hint: 'Give this user write permission on the journal, on its -wal and -shm files and on their folder.',
};
const CORRUPT: Problem = {
  code: 'ERR_DURABLE_JOURNAL_CORRUPT',
  message: 'The journal file is damaged, or is not a journal.',
  hint: 'Restore the file together with its -wal from a copy, or name another file.',
};
const UNAVAILABLE: Problem = {
  code: 'ERR_DURABLE_JOURNAL_UNAVAILABLE',
  message: 'The journal cannot be opened, read or written.',
  hint: 'Check that its folder exists on a local disk and that this user may use it.',
};

const PROBLEMS: Readonly<Record<string, Problem>> = {
  SQLITE_BUSY: LOCKED,
  SQLITE_BUSY_SNAPSHOT: LOCKED,
  SQLITE_LOCKED: LOCKED,
  SQLITE_FULL: FULL,
  SQLITE_READONLY: READONLY,
  SQLITE_PERM: READONLY,
  SQLITE_CORRUPT: CORRUPT,
  SQLITE_NOTADB: CORRUPT,
};

/** A record that holds what the journal never writes. Becomes ERR_DURABLE_JOURNAL_CORRUPT where the file is known. */
export class UnreadableRecord extends Error {
  override readonly name = 'UnreadableRecord';
  /** Which record of the run it is, as far as that is known. */
  readonly where: Pick<JournalPlace, 'seq' | 'path'>;

  constructor(message: string, where: Pick<JournalPlace, 'seq' | 'path'> = {}, options?: ErrorOptions) {
    super(message, options);
    this.where = where;
  }
}

/** The coded error for a failure of SQLite with this result code. Pure. */
export function sqliteError(code: string, place: JournalPlace, cause: unknown): InvokeError {
  return coded(PROBLEMS[code] ?? UNAVAILABLE, place, cause);
}

export function corruptError(place: JournalPlace, detail: string, cause?: unknown): InvokeError {
  return coded({ ...CORRUPT, message: `The journal file is damaged, or is not a journal: ${detail}.` }, place, cause);
}

export function unavailableError(place: JournalPlace, detail: string, hint: string, cause?: unknown): InvokeError {
  return coded({ ...UNAVAILABLE, message: `The journal cannot be used: ${detail}.`, hint }, place, cause);
}

export function notFoundError(place: JournalPlace): InvokeError {
  return coded(
    {
      code: 'ERR_DURABLE_JOURNAL_NOT_FOUND',
      message: 'There is no journal at this place.',
      hint: 'Name the journal that the runs were started with.',
    },
    place,
  );
}

export function versionError(place: JournalPlace, found: number, known: number): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_JOURNAL_VERSION',
    `The journal has schema version ${String(found)}; this release knows ${String(known)}.`,
    { ...place, found, known, hint: 'Use the release that wrote this journal, or a later one.' },
  );
}

/** The key of a journal belongs to its runs: what one key wrote, no other reads. */
export function keyError(place: JournalPlace, found: 'keyed' | 'unkeyed' | 'other-key' | 'too-short'): InvokeError {
  const [message, hint] = KEY_PROBLEMS[found];
  return new InvokeError('ERR_DURABLE_JOURNAL_KEY', message, { ...place, found, hint });
}

const KEY_PROBLEMS = {
  keyed: ['The journal was made with a key, and none is stated.', 'State the key that the journal was made with.'],
  unkeyed: [
    'The journal was made without a key, which cannot be added later.',
    'Let its runs end without the key, and name a new file for the key.',
  ],
  'other-key': ['The journal was made with another key.', 'State the key that the journal was made with.'],
  'too-short': ['The key of the journal is too short.', 'State a key of at least 16 characters, best a random one.'],
} as const;

export type ClaimLoss = 'never-claimed' | 'taken-over' | 'settled';

const LOSSES: Readonly<Record<ClaimLoss, string>> = {
  'never-claimed': 'This process holds no claim on the run.',
  'taken-over': 'Another execution has claimed the run.',
  settled: 'The run is settled.',
};

/** Recognised by code everywhere; `reason` is for people. */
export function claimLostError(place: JournalPlace, reason: ClaimLoss): InvokeError {
  return new InvokeError('ERR_DURABLE_CLAIM_LOST', LOSSES[reason], {
    ...place,
    reason,
    hint: 'Let the execution that holds the claim go on, or resume the run once it has ended.',
  });
}

export function runNotFoundError(place: JournalPlace): InvokeError {
  return new InvokeError('ERR_DURABLE_RUN_NOT_FOUND', 'The journal knows no such run.', {
    ...place,
    hint: 'List the runs of this journal and name one of them.',
  });
}

function coded(problem: Problem, place: JournalPlace, cause?: unknown): InvokeError {
  return new InvokeError(
    problem.code,
    problem.message,
    { ...place, hint: problem.hint },
    cause === undefined ? undefined : { cause },
  );
}
