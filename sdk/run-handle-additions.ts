/** What a run handle may have besides SDK 0.80. Callers must work where a member is absent. */
export interface RunHandleAdditions {
  /**
   * Whether `path` holds an entry. Pure. The step engine asks it before it repeats an attempt or enters a `catch` that a
   * former execution had entered.
   */
  recorded?(path: string): boolean;
  /**
   * Throws when this process may do nothing more for the run. Pure, beside reading. Asked right before a change that
   * another process could have made meanwhile.
   *
   * @throws InvokeError ERR_DURABLE_CLAIM_LOST
   */
  confirmClaim?(): void;
  /** Whether this execution parked at `path` or below it; the latch tells of its first wait alone. Pure. */
  parkedBelow?(path: string): boolean;
  /** A number of the entry into the step at `path` that is under way; undefined where none is. Pure. */
  entryOf?(path: string): number | undefined;
}
