import { isPlainObject } from '../../graph/plain.ts';
import type { CallProblem, ProblemDetail } from './problems.ts';
import { aiError, timedOut } from './problems.ts';

/** Codes of refusals that waiting does not lift. */
const QUOTA = /quota|billing|insufficient/;
const WORD = /^[A-Za-z][\w.-]{0,63}$/;

/** What one response that is no success means. Pure. @see kernel-specs/models.md AI-20 */
export function statusProblem(response: Response, body: unknown, key: string): CallProblem {
  const { status } = response;
  const reason = endpointWord(body, key);
  const retryAfterMs = readRetryAfter(response.headers);
  const detail: ProblemDetail = {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const after = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status >= 300 && status < 400) {
    const error = aiError(
      'ERR_AI_REDIRECTED',
      `it redirects (${status})`,
      'State the final address as baseUrl.',
      detail,
    );
    return { error, retry: false };
  }
  if (status === 401 || status === 403) {
    const error = aiError('ERR_AI_UNAUTHORIZED', `the endpoint does not accept the key (${status})`, KEY_HINT, detail);
    return { error, retry: false };
  }
  if (status === 429) {
    const exhausted = reason !== undefined && QUOTA.test(reason);
    const hint = exhausted ? 'Raise the quota of the account.' : 'Come back later.';
    const error = aiError('ERR_AI_RATE_LIMITED', `the endpoint asks to come back later (${status})`, hint, detail);
    return { error, retry: !exhausted, ...after };
  }
  if (status === 408 || status >= 500) {
    const error = aiError('ERR_AI_UNAVAILABLE', `the endpoint has failed (${status})`, 'Ask again later.', detail);
    return { error, retry: true, ...after };
  }
  const hint = 'Check model, options and the length of what is asked.';
  const error = aiError('ERR_AI_REJECTED', `the endpoint does not accept the request (${status})`, hint, detail);
  return { error, retry: false };
}

const KEY_HINT = 'Check the secret that apiKey reads, and what it may use.';

/** What an exchange that failed before its response means. Pure. */
export function connectionProblem(error: unknown): CallProblem {
  const code = systemCode(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return { error: timedOut('response'), retry: false };
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return { error: timedOut('connect'), retry: true };
  const detail = code === undefined ? {} : { reason: code };
  const hint = 'Check baseUrl and that the endpoint is running.';
  return {
    error: aiError('ERR_AI_UNAVAILABLE', 'the endpoint cannot be reached', hint, detail),
    retry: true,
  };
}

/** The word an endpoint has for its problem, when it is one word and nothing of the key. Pure. */
export function endpointWord(body: unknown, key: string): string | undefined {
  const problem = isPlainObject(body) ? body['error'] : undefined;
  if (!isPlainObject(problem)) return undefined;
  return [problem['code'], problem['type']].find(
    (word): word is string => typeof word === 'string' && WORD.test(word) && !word.includes(key) && !key.includes(word),
  );
}

/** Milliseconds that a response asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const ms = headers.get('retry-after-ms');
  if (ms !== null && /^\d+$/.test(ms)) return Number(ms);
  const after = headers.get('retry-after');
  if (after === null) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000);
  const due = Date.parse(after);
  return Number.isNaN(due) ? undefined : Math.max(0, due - Date.now());
}

function systemCode(error: unknown): string | undefined {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code: unknown = typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : undefined;
  return typeof code === 'string' && WORD.test(code) ? code : undefined;
}
