import type { HttpRequest } from './http-request.ts';
import { isSameAsking, readHttpUrl } from './http-request.ts';
import type { JsonObject } from './json.ts';

/** One request that a host states: that one exactly, or every one below a path. */
export type RequestLimit =
  | { readonly match: 'exact'; readonly request: HttpRequest }
  | {
      readonly match: 'prefix';
      /** Its path ends in `/`; its URL is in the one spelling that URL parsers answer. */
      readonly request: HttpRequest;
      /** Whether a request below the path may have a query. */
      readonly query: boolean;
    };

/** An escaped `.`, `/`, `\` or NUL, however often it is escaped. */
const ESCAPED_PATH_CHARACTER = /%(?:25)*(?:2e|2f|5c|00)/i;
/** `.`, `..` and nothing, with parameters behind them that some servers drop, and the first two without. */
const DOT_SEGMENT = /^\.{1,2}$|^\.{0,2};/;
const WRITTEN_URL = /^[a-z]+:\/\/[^/?]*([^?]*)(\?.*)?$/is;

/**
 * The request to send for a candidate: the stated one it equals, or itself in the spelling that was checked. Undefined
 * when no limit admits it.
 *
 * Pure.
 *
 * @see kernel-specs/fetch.md FT-10 to FT-16
 */
export function admittedRequest(candidate: HttpRequest, limits: readonly RequestLimit[]): HttpRequest | undefined {
  for (const limit of limits) {
    if (isSameAsking(candidate, limit.request)) {
      const url = limit.match === 'exact' ? equalUrl(candidate.url, limit) : urlBelow(candidate.url, limit);
      if (url !== undefined) {
        return Object.freeze({ ...limit.request, url });
      }
    }
  }
  return undefined;
}

/** A limit as a policy states it. Pure. @see kernel-specs/fetch.md FT-20 */
export function requestLimitJson(limit: RequestLimit): JsonObject {
  const { url, method, headers, timeout } = limit.request;
  return {
    url,
    method,
    headers: { ...headers },
    ...(timeout === undefined ? {} : { timeout }),
    ...(limit.match === 'exact' ? {} : { match: limit.match, query: limit.query }),
  };
}

/** Whether a URL can be the start of others: its path ends in `/`, and it is written as it is checked. Pure. */
export function isPrefixUrl(url: string): boolean {
  const parsed = readHttpUrl(url);
  return (
    parsed !== undefined && parsed.href === url && url.endsWith('/') && pathOf(url, { query: false }) !== undefined
  );
}

function equalUrl(candidate: string, { request }: RequestLimit): string | undefined {
  return candidate === request.url ? request.url : undefined;
}

function urlBelow(candidate: string, limit: Extract<RequestLimit, { match: 'prefix' }>): string | undefined {
  const parsed = readHttpUrl(candidate);
  const path = pathOf(candidate, limit);
  if (parsed === undefined || path === undefined) {
    return undefined;
  }
  const stated = new URL(limit.request.url);
  const below = parsed.origin === stated.origin && parsed.pathname.startsWith(stated.pathname);
  return below && pathOf(parsed.href, limit) !== undefined ? parsed.href : undefined;
}

/** The path of a written URL; undefined when a server could read it as another one. */
function pathOf(url: string, { query }: { readonly query: boolean }): string | undefined {
  const [, path, written] = WRITTEN_URL.exec(url) ?? [];
  if (path === undefined || url.includes('\\') || (written !== undefined && !query)) {
    return undefined;
  }
  const [before, ...segments] = path.split('/');
  const last = segments.length - 1;
  const plain = segments.every((segment, index) => (segment !== '' || index === last) && !DOT_SEGMENT.test(segment));
  return before === '' && plain && !ESCAPED_PATH_CHARACTER.test(path) ? path : undefined;
}
