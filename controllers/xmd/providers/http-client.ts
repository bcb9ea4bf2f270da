import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { HttpRequest } from '../values/http-request.ts';
import type { AddressRange } from '../values/address.ts';
import { addressGuard } from './addresses.ts';
import type { Http, HttpBounds, HttpResponse } from './http.ts';
import { exchange, hostOf } from './http-exchange.ts';
import { httpProblem, Interruption } from './http-problem.ts';

/** Addresses of one name that are tried at most, one after the other. */
const ADDRESSES_MAX = 4;

export interface HttpClientOptions {
  /** Ranges that may be reached although they are not public. */
  readonly addresses: readonly AddressRange[];
  /** Answers every address of a name; the system's resolver when left out. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/**
 * HTTP over Node's own client: the name is resolved once, each address is judged, and only one that was judged is
 * connected to.
 *
 * Effect: none yet; `fetch` has its own. Keeps no connection.
 *
 * @see kernel-specs/fetch.md
 * @see docs/adr/0013-exact-requests-one-address.md
 */
export function openHttp({ addresses, resolve = resolveBySystem }: HttpClientOptions): Http {
  const admits = addressGuard(addresses);
  return {
    fetch: async (request, bounds) => {
      const url = new URL(request.url);
      try {
        return await withinTimeout(bounds, async (signal) => {
          const found = await addressesOf(hostOf(url), { resolve, signal });
          return firstAnswer(found.filter(admits), { request, url, signal, responseBytes: bounds.responseBytes });
        });
      } catch (error) {
        throw error instanceof Interruption ? httpProblem(error.reason, url.origin) : error;
      }
    },
  };
}

interface Attempt {
  readonly request: HttpRequest;
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly responseBytes: number;
}

/** The next address is tried only where no connection was made, so that nothing is sent twice. */
async function firstAnswer(addresses: readonly string[], attempt: Attempt): Promise<HttpResponse> {
  let failed = new Interruption('address-refused');
  for (const address of addresses.slice(0, ADDRESSES_MAX)) {
    try {
      return await exchange({ ...attempt, address });
    } catch (error) {
      if (!(error instanceof Interruption) || error.reason !== 'connect') {
        throw error;
      }
      failed = error;
    }
  }
  throw failed;
}

async function addressesOf(
  name: string,
  { resolve, signal }: { readonly resolve: (name: string) => Promise<readonly string[]>; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  if (isIP(name) !== 0) {
    return [name];
  }
  const found = await Promise.race([resolve(name).catch(() => []), aborted(signal)]);
  if (found.length === 0) {
    throw new Interruption('dns');
  }
  return found;
}

async function resolveBySystem(name: string): Promise<readonly string[]> {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/** A resolver cannot be stopped; it is left behind. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(new Interruption('cancelled'));
    if (signal.aborted) {
      stop();
    }
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Runs `work` under a signal that is aborted with that of the bounds, or when their time is over. */
async function withinTimeout<T>(bounds: HttpBounds, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, bounds.timeoutMs);
  const cancel = (): void => controller.abort();
  if (bounds.signal.aborted) {
    cancel();
  }
  bounds.signal.addEventListener('abort', cancel, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    throw late && error instanceof Interruption && error.reason === 'cancelled' ? new Interruption('timeout') : error;
  } finally {
    clearTimeout(timer);
    bounds.signal.removeEventListener('abort', cancel);
  }
}
