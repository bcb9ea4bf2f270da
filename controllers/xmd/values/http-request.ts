/** One request as it is sent and recorded: everything normalised but the URL, which is kept as written. */
export interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'HEAD';
  /** By lower-case name, in the order of the names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds that the whole exchange may take. */
  readonly timeout?: number;
}

/** A request as somebody wrote it; what is left out is GET, no headers, no time limit of its own. */
export interface WrittenRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `500`, `500ms`, `30s`, `2m` or `2min`; digits alone are milliseconds. */
  readonly timeout?: string | number;
}

/** Control characters and white space at the end are dropped by URL parsers, and so are more than two slashes. */
const WRITTEN = /^https?:\/\/[^/?#\\\p{Cc}]\P{Cc}*(?<!\s)$/iu;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What HTTP allows in a field value: tab, printable ASCII, Latin-1. */
const HEADER_VALUE = /^(?![\t ])[\t\u0020-\u007e\u0080-\u00ff]*(?<![\t ])$/;
const TIMEOUT = /^([0-9]{1,15})(ms|s|m|min)?$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000 };

/**
 * Brings a written request to its one normal form.
 *
 * Pure. Undefined for a URL that is not absolute http or https or holds user information or a fragment, a method that is
 * not exactly GET or HEAD, a header name or value that HTTP does not have, two spellings of one name, and a timeout that
 * is zero or no timeout.
 *
 * @see kernel-specs/fetch.md FT-01 to FT-05
 */
export function readHttpRequest(written: WrittenRequest): HttpRequest | undefined {
  const { url, method = 'GET' } = written;
  const headers = readHeaders(written.headers ?? {});
  const timeout = written.timeout === undefined ? undefined : readTimeout(written.timeout);
  if (
    readHttpUrl(url) === undefined ||
    (method !== 'GET' && method !== 'HEAD') ||
    headers === undefined ||
    (written.timeout !== undefined && timeout === undefined)
  ) {
    return undefined;
  }
  return Object.freeze({ url, method, headers, ...(timeout === undefined ? {} : { timeout }) });
}

/** Parses an absolute http or https URL without user information and fragment; undefined for any other text. Pure. */
export function readHttpUrl(url: string): URL | undefined {
  if (!WRITTEN.test(url) || url.includes('#') || !URL.canParse(url)) {
    return undefined;
  }
  const parsed = new URL(url);
  const plain = parsed.username === '' && parsed.password === '' && !authorityOf(url).includes('@');
  return plain ? parsed : undefined;
}

/** The part of a written URL that names host and port, user information included. Pure. */
function authorityOf(url: string): string {
  return /^[a-z]+:\/\/([^/?#\\]*)/i.exec(url)?.[1] ?? '';
}

function readHeaders(written: Readonly<Record<string, string>>): HttpRequest['headers'] | undefined {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(written)) {
    const key = name.toLowerCase();
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value) || headers.has(key)) {
      return undefined;
    }
    headers.set(key, value);
  }
  return Object.freeze(Object.fromEntries([...headers].toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

/** Reads a timeout as milliseconds. Pure. */
function readTimeout(written: string | number): number | undefined {
  const found = TIMEOUT.exec(String(written));
  if (found === null) {
    return undefined;
  }
  const [, digits, unit = 'ms'] = found;
  const timeout = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  return timeout > 0 && Number.isSafeInteger(timeout) ? timeout : undefined;
}

/** Whether two normalised requests ask for the same, their URLs left aside. Pure. */
export function isSameAsking(one: HttpRequest, other: HttpRequest): boolean {
  return (
    one.method === other.method &&
    one.timeout === other.timeout &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers)
  );
}

/** A request as somebody wrote it, or undefined when a member is of another type. Pure. */
export function readWrittenRequest({
  url,
  method,
  headers,
  timeout,
}: Readonly<Record<string, unknown>>): WrittenRequest | undefined {
  if (
    typeof url !== 'string' ||
    (method !== undefined && typeof method !== 'string') ||
    (headers !== undefined && !isTexts(headers)) ||
    (timeout !== undefined && typeof timeout !== 'string' && typeof timeout !== 'number')
  ) {
    return undefined;
  }
  return {
    url,
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one === 'string')
  );
}
