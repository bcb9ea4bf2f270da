const KEY = Symbol.for('@telorun/sdk:Stream');

/** A live sequence of values, consumed once. It can never be journaled. */
class LiveStream<T = unknown> implements AsyncIterable<T> {
  readonly [KEY] = true;
  readonly #source: AsyncIterable<T>;
  #consumed = false;

  constructor(source: AsyncIterable<T>) {
    this.#source = source;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    if (this.#consumed) throw new TypeError('A Stream is consumed once');
    this.#consumed = true;
    return this.#source[Symbol.asyncIterator]();
  }
}

function isStreamClass(value: unknown): value is typeof LiveStream {
  return typeof value === 'function';
}

// One class a process, whichever copy of the package is loaded first: `instanceof` holds across copies.
function sharedClass(): typeof LiveStream {
  const existing: unknown = Reflect.get(globalThis, KEY);
  if (isStreamClass(existing)) return existing;
  Reflect.defineProperty(globalThis, KEY, { value: LiveStream });
  return LiveStream;
}

/** A live sequence of values, consumed once. It can never be journaled. */
export const Stream = sharedClass();
export type Stream<T = unknown> = LiveStream<T>;

/** Whether `value` is a live stream. Pure. */
export function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null && Reflect.get(value, KEY) === true;
}
