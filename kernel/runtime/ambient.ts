import { AsyncLocalStorage } from 'node:async_hooks';
import type { InvokeContext } from '@telorun/sdk';

/** The context of the dispatch that the running code belongs to, for callers that pass none. One for each kernel. */
export class Ambient {
  readonly #storage = new AsyncLocalStorage<InvokeContext>();
  readonly #root: () => InvokeContext;

  constructor(root: () => InvokeContext) {
    this.#root = root;
  }

  /** The context of the enclosing dispatch, or a root context outside every dispatch. Pure. */
  current(): InvokeContext {
    return this.#storage.getStore() ?? this.#root();
  }

  /** Runs `work` with `context` as what `current` answers inside it. */
  run<T>(context: InvokeContext, work: () => T): T {
    return this.#storage.run(context, work);
  }
}
