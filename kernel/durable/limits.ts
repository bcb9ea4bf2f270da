/** How long a claim lasts unrenewed, and how often a live execution renews it, in milliseconds. */
export const CLAIM = {
  ttlMs: 60_000,
  // A third: two renewals may be lost before another process may take the run.
  renewMs: 20_000,
} as const;

/** Renewals in a row that may end in an error before the execution gives its run up. */
export const RENEWAL_ERRORS_MAX = 2;

/** Executions in a row that may suspend, be due at once and yet add nothing to the journal. */
export const IDLE_EXECUTIONS_MAX = 3;

/** Due runs asked for at a time by a sweep. */
export const SWEEP_RUNS = 10;

/** How long an execution may write without a turn of the event loop, in milliseconds. */
export const TURN_MS_MAX = 20;
