import { InvokeError, isInvokeError } from '@telorun/sdk';
import { type JournalPlace, UnreadableRecord, unavailableError } from '../journal-sqlite/errors.ts';

/** Which line of which file a damaged record is, beside what UnreadableRecord says of it. */
export class UnreadableLine extends UnreadableRecord {
  readonly file: string;
  readonly line: number;

  constructor(place: { readonly file: string; readonly line: number }, cause: Error) {
    super(cause.message, {}, { cause });
    this.file = place.file;
    this.line = place.line;
  }
}

/** Somebody else holds the lock of a run and did not let go in time. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const FULL: Problem = {
  code: 'ERR_DURABLE_JOURNAL_FULL',
  message: 'The disk that holds the journal is full.',
  hint: 'Free space on that disk and resume the run; nothing recorded is lost.',
};
const READONLY: Problem = {
  code: 'ERR_DURABLE_JOURNAL_READONLY',
  message: 'The journal cannot be written.',
  hint: 'Give this user write permission on the folder of the journal, on the folder beside it and on their files.',
};
const LOCKED: Problem = {
  code: 'ERR_DURABLE_JOURNAL_LOCKED',
  message: 'Another process holds the journal of this run and did not let go in time.',
  hint: 'Wait for the process that writes this run, or end it when it is stopped, and try again.',
};
const BY_ERRNO: Readonly<Record<string, Problem>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: READONLY,
  EPERM: READONLY,
  EROFS: READONLY,
};

/** The name of a failure of the operating system; undefined for any other error. Pure. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The coded error for whatever failed at `place`; an error that is nobody's failure stays what it is. Pure. */
export function codedError(error: unknown, place: JournalPlace): unknown {
  if (isInvokeError(error)) return error;
  if (error instanceof LockedError) return coded(LOCKED, place, error);
  if (error instanceof UnreadableRecord) return corruptFileError(place, error);
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const problem = BY_ERRNO[errno];
  if (problem !== undefined) return coded(problem, place, error);
  const hint = 'Check that the folder of the journal exists on a local disk and that this user may use it.';
  return unavailableError(place, `the system answers ${errno}`, hint, error);
}

function corruptFileError(place: JournalPlace, error: UnreadableRecord): InvokeError {
  const where = error instanceof UnreadableLine ? { file: error.file, line: error.line } : {};
  const line = 'line' in where ? `, line ${String(where.line)}` : '';
  return new InvokeError(
    'ERR_DURABLE_JOURNAL_CORRUPT',
    `The journal file is damaged, or is not a journal: ${error.message}${line}.`,
    {
      ...place,
      ...error.where,
      ...where,
      hint: 'Restore the file from a copy; only an incomplete last line is mended.',
    },
    { cause: error },
  );
}

function coded({ code, message, hint }: Problem, place: JournalPlace, cause: unknown): InvokeError {
  return new InvokeError(code, message, { ...place, hint }, { cause });
}

export function isCorrupt(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_DURABLE_JOURNAL_CORRUPT';
}
