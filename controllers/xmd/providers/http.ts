import type { HttpRequest } from '../values/http-request.ts';

/** What an exchange came to, whatever its status. */
export interface HttpResponse {
  readonly status: number;
  /** By lower-case name, in the order of the names; a repeated one joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded as UTF-8, a BOM kept; empty for HEAD. */
  readonly body: string;
}

export interface HttpBounds {
  /** Bytes of the body, after its content coding is undone. */
  readonly responseBytes: number;
  /** Milliseconds for everything: name, connection, response. */
  readonly timeoutMs: number;
  /** Aborted: the exchange is torn down, and its promise is rejected then. */
  readonly signal: AbortSignal;
}

/**
 * Requests of fragments, sent as they are given.
 *
 * A refusal is an InvokeError ERR_XMD_EFFECT `{reason, origin, hint?}`, `reason` one of those that FT-40 lists.
 *
 * @see kernel-specs/fetch.md
 */
export interface Http {
  /** Effect: one exchange. A redirect is its result, never followed. */
  fetch(request: HttpRequest, bounds: HttpBounds): Promise<HttpResponse>;
}
