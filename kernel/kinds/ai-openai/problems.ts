import { InvokeError } from '@telorun/sdk';

/** Every code a model of this kind raises of its own. @see kernel-specs/models.md */
export const AI_CODES = {
  ERR_AI_CONFIG: 'The model is configured in a way that no model can be.',
  ERR_AI_INPUT: 'What the model is asked is not a list of messages.',
  ERR_AI_UNAUTHORIZED: 'The endpoint does not accept the key.',
  ERR_AI_RATE_LIMITED: 'The endpoint asks to come back later, or the quota is used up.',
  ERR_AI_REJECTED: 'The endpoint does not accept the request.',
  ERR_AI_UNAVAILABLE: 'The endpoint cannot be reached, or says that it has failed.',
  ERR_AI_REDIRECTED: 'The endpoint answers with a redirect, which is never followed.',
  ERR_AI_TIMEOUT: 'The endpoint did not answer in time.',
  ERR_AI_RESPONSE_INVALID: 'The endpoint answered something that is no answer of such an endpoint.',
  ERR_AI_RESPONSE_TOO_LARGE: 'The answer is larger than allowed.',
  ERR_AI_CUT_OFF: 'The connection ended before the answer did.',
} as const;

type AiCode = keyof typeof AI_CODES;

/** What goes with a failed call: numbers and fixed words, never a word of the endpoint, the request or the key. */
export interface ProblemDetail {
  readonly status?: number;
  /** What the endpoint calls the problem: a word of its error's `code` or `type`. */
  readonly reason?: string;
  readonly phase?: 'connect' | 'response' | 'idle' | 'total';
  readonly retryAfterMs?: number;
}

/** A failed call and whether sending it again may help. */
export interface CallProblem {
  readonly error: InvokeError;
  readonly retry: boolean;
  readonly retryAfterMs?: number;
}

/** A failed call as an error. Pure. */
export function aiError(code: AiCode, found: string, hint: string, detail: ProblemDetail = {}): InvokeError {
  return new InvokeError(code, `Cannot get an answer of the model: ${found}`, { ...detail, hint });
}

/** The model is stated as no model can be; what is stated is not quoted. Pure. */
export function configRefused(name: string, found: string, hint: string): InvokeError {
  return new InvokeError('ERR_AI_CONFIG', `Cannot use the model "${name}": ${found}`, { hint });
}

/** The error of a call that took too long. Pure. */
export function timedOut(phase: 'connect' | 'response' | 'idle' | 'total', limitMs?: number): InvokeError {
  const limit = limitMs === undefined ? '' : ` of ${limitMs} ms`;
  return aiError('ERR_AI_TIMEOUT', `the ${phase} time limit${limit} has passed`, 'Allow more time under timeouts.', {
    phase,
  });
}

/** The connection ended, or the event stream, before the answer was complete. Pure. */
export function cutOff(): InvokeError {
  return aiError('ERR_AI_CUT_OFF', 'the connection ended before the answer did', 'Ask again.');
}

/** What came is not what such an endpoint answers. `found` is a fixed sentence. Pure. */
export function responseInvalid(found: string): InvokeError {
  return aiError('ERR_AI_RESPONSE_INVALID', found, 'Check that baseUrl is the base of an OpenAI-compatible endpoint.');
}

/** The answer passed its size limit. Pure. */
export function responseTooLarge(bytesMax: number): InvokeError {
  return aiError(
    'ERR_AI_RESPONSE_TOO_LARGE',
    `it is larger than ${bytesMax} bytes`,
    'Ask for less, or allow more under maxResponseBytes.',
  );
}
