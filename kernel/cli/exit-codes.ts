/** How the command line ends. kernel-specs/command-line.md CL-01. */
export const EXIT = {
  completed: 0,
  failed: 1,
  suspended: 2,
  refused: 3,
  usage: 64,
  invalidInput: 65,
  notFound: 66,
  busy: 75,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const REFUSALS: ReadonlySet<string> = new Set([
  'ERR_XMD_REFUSED',
  'ERR_XMD_POLICY_CHANGED',
  'ERR_XMD_TEXT_CHANGED',
  'ERR_XMD_RECORD_UNREADABLE',
  'ERR_XMD_PROFILE',
  'ERR_XMD_SECRET',
  'ERR_XMD_APPROVAL_MISMATCH',
  'ERR_XMD_APPROVAL_STALE',
  'ERR_DURABLE_MANIFEST_CHANGED',
  'ERR_DURABLE_RUN_FOREIGN',
  'ERR_JOURNAL_ENTRY_MISMATCH',
  'ERR_CLI_ANSWER_REFUSED',
  'ERR_DURABLE_RUN_EXISTS',
]);

const INVALID: ReadonlySet<string> = new Set([
  'ERR_MANIFEST_VALIDATION_FAILED',
  'MANIFEST_PARSE_FAILED',
  'ERR_INPUT_INVALID',
  'ERR_XMD_INPUT',
  'ERR_DURABLE_RUN_ID_INVALID',
  'ERR_DURABLE_PAYLOAD_INVALID',
  'ERR_DURABLE_JOURNAL_CORRUPT',
  'ERR_DURABLE_JOURNAL_VERSION',
  'ERR_DURABLE_JOURNAL_KEY',
  'ERR_DURABLE_TRANSFER_INVALID',
]);

const MISSING: ReadonlySet<string> = new Set([
  'ERR_DURABLE_RUN_NOT_FOUND',
  'ERR_DURABLE_JOURNAL_NOT_FOUND',
  'ERR_RESOURCE_NOT_FOUND',
  'ERR_CLI_NOT_FOUND',
]);

const BUSY: ReadonlySet<string> = new Set([
  'ERR_DURABLE_RUN_BUSY',
  'ERR_DURABLE_CLAIM_LOST',
  'ERR_DURABLE_JOURNAL_LOCKED',
  // Nothing is lost and the run stays as it is: the same command goes on once the disk or the file is repaired.
  'ERR_DURABLE_JOURNAL_FULL',
  'ERR_DURABLE_JOURNAL_READONLY',
  'ERR_DURABLE_JOURNAL_UNAVAILABLE',
  'ERR_CLI_UNWRITABLE',
]);

/** Which exit code an error code stands for. Pure. */
export function exitCodeOf(code: string): ExitCode {
  if (code === 'ERR_CLI_USAGE') return EXIT.usage;
  if (code === 'ERR_CLI_INVALID_INPUT') return EXIT.invalidInput;
  if (code === 'ERR_INVOKE_CANCELLED') return EXIT.interrupted;
  if (REFUSALS.has(code)) return EXIT.refused;
  if (INVALID.has(code)) return EXIT.invalidInput;
  if (MISSING.has(code)) return EXIT.notFound;
  if (BUSY.has(code)) return EXIT.busy;
  return EXIT.failed;
}
