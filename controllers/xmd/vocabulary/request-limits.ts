import { profileRefused } from '../errors.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { readHttpRequest, readWrittenRequest } from '../values/http-request.ts';
import type { RequestLimit } from '../values/request-limit.ts';
import { isPrefixUrl, requestLimitJson } from '../values/request-limit.ts';

type Members = Readonly<Record<string, unknown>>;

const MEMBERS: ReadonlySet<string> = new Set(['url', 'method', 'headers', 'timeout', 'match', 'query']);

/** Headers that say where a request goes or how its bytes are framed; the client alone states those. */
const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the requests that a profile states: normalised, each once, in one order whatever the author's.
 *
 * Pure. Left out and empty are the same: no request at all.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 * @see kernel-specs/fetch.md FT-06
 */
export function readRequestLimits(value: unknown): readonly RequestLimit[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw requestsRefused('its requests are not a list', 'State requests as a list of {url}.');
  }
  const byText = new Map(
    value.map((stated: unknown, index): [string, RequestLimit] => {
      const limit = readRequestLimit(stated, `request ${index}`);
      return [canonicalJson(requestLimitJson(limit)), limit];
    }),
  );
  return Object.freeze([...byText].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, limit]) => limit));
}

function readRequestLimit(stated: unknown, at: string): RequestLimit {
  if (!isMembers(stated)) {
    throw requestsRefused(`${at} is not an object`, 'State a request as {url}.');
  }
  const unknown = Object.keys(stated).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) {
    throw requestsRefused(`${at} states the unknown member "${unknown}"`, `Use one of ${[...MEMBERS].join(', ')}.`);
  }
  const written = readWrittenRequest(stated);
  const request = written === undefined ? undefined : readHttpRequest(written);
  if (request === undefined) {
    throw requestsRefused(
      `${at} is not a request`,
      'State an absolute http or https url without user information and fragment, method GET or HEAD, each header ' +
        'once, and a timeout such as 500ms, 30s or 2m.',
    );
  }
  const framing = Object.keys(request.headers).find((name) => FRAMING_HEADERS.has(name));
  if (framing !== undefined) {
    throw requestsRefused(
      `${at} states the header "${framing}"`,
      'Leave out headers that the connection itself needs.',
    );
  }
  return readMatch(stated, request, at);
}

function readMatch(stated: Members, request: RequestLimit['request'], at: string): RequestLimit {
  const { match = 'exact', query } = stated;
  if (match === 'exact' && query === undefined) {
    return Object.freeze({ match, request });
  }
  if (match !== 'prefix' || (query !== undefined && typeof query !== 'boolean')) {
    throw requestsRefused(
      `${at} has a match that is neither exact nor prefix, or a query that is no boolean of a prefix`,
      'State match as exact, or as prefix with query true or false.',
    );
  }
  if (!isPrefixUrl(request.url)) {
    throw requestsRefused(
      `${at} is no prefix`,
      'End the path of its url in "/", in the spelling that a URL parser answers, without a query.',
    );
  }
  return Object.freeze({ match, request, query: query ?? false });
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function requestsRefused(found: string, hint: string): Error {
  return profileRefused('requests', found, hint);
}
