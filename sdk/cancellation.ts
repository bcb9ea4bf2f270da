/** Tells work that it should stop. Immutable for its readers; only the source that made it can cancel it. */
export interface CancellationToken {
  readonly isCancelled: boolean;
  /** Why, once cancelled: `deadline-exceeded` for a deadline, else what the canceller said. */
  readonly reason: string | undefined;
  readonly signal: AbortSignal;
  /** Calls `listener` once on cancellation, at once when that has happened already. Answers how to stop listening. */
  onCancelled(listener: (reason: string) => void): () => void;
  /** @throws InvokeError ERR_INVOKE_CANCELLED once cancelled. */
  throwIfCancelled(): void;
}
