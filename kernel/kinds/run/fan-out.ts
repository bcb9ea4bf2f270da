import { isCancellationError, isSuspension, passesUncaught } from '@telorun/sdk';

export interface FanOut {
  /** How many elements are worked on at once, at least 1. */
  readonly concurrency: number;
  /** Whether to start no further element. */
  readonly stopped: () => boolean;
}

/**
 * Works on every element, at most `concurrency` at once, in order of their indices.
 *
 * A failure starts no further element; those that run finish first. An element that parks does not stop its siblings:
 * the first park is thrown when they have all settled. A lost claim or a cancellation wins over a failure, a failure over
 * a park.
 *
 * @see kernel-specs/run-kinds.md RK-22
 */
export async function fanOut<T>(
  elements: AsyncIterable<T> | Iterable<T>,
  options: FanOut,
  work: (element: T, index: number) => Promise<void>,
): Promise<void> {
  const outcome = new Outcome();
  const running = new Set<Promise<void>>();
  let index = 0;
  try {
    for await (const element of elements) {
      const one: Promise<void> = work(element, index++)
        .catch((error: unknown) => outcome.add(error))
        .finally(() => running.delete(one));
      running.add(one);
      while (running.size >= options.concurrency) await Promise.race(running);
      if (outcome.ended || options.stopped()) break;
    }
  } catch (error) {
    // The source of the elements failed. Kept until those that run have finished, then thrown like any other.
    outcome.add(error);
  }
  await Promise.all(running);
  outcome.raise();
}

class Outcome {
  #raised: { readonly error: unknown; readonly weight: number } | undefined;

  add(error: unknown): void {
    const weight = weightOf(error);
    if (this.#raised === undefined || weight > this.#raised.weight) this.#raised = { error, weight };
  }

  /** Whether something other than a park ends the whole. */
  get ended(): boolean {
    return this.#raised !== undefined && this.#raised.weight > 0;
  }

  raise(): void {
    if (this.#raised !== undefined) throw this.#raised.error;
  }
}

function weightOf(error: unknown): number {
  if (isSuspension(error)) return 0;
  if (isCancellationError(error)) return 2;
  return passesUncaught(error) ? 3 : 1;
}
