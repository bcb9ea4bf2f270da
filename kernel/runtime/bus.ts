type Listener = (payload: unknown) => void;

/** Events that resources of one application send each other by name. */
export class Bus {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Listens; the answer stops it. Effect. */
  on(event: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Calls the listeners of `event`, in the order they came. */
  emit(event: string, payload: unknown): void {
    const listeners = [...(this.#listeners.get(event) ?? [])];
    for (const listener of listeners) listener(payload);
  }
}
