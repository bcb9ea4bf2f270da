import { setTimeout as delay } from 'node:timers/promises';
import type { CallClock } from './call-clock.ts';
import { connectionProblem, statusProblem } from './classify.ts';
import type { CallProblem } from './problems.ts';
import { cutOff, responseInvalid, responseTooLarge } from './problems.ts';
import type { Settings } from './settings.ts';

/** One call: where to, with what, for how long. */
export interface Call {
  readonly settings: Settings;
  readonly key: string;
  readonly body: string;
  readonly stream: boolean;
  readonly clock: CallClock;
}

const ERROR_BYTES_MAX = 65_536;

/**
 * Sends a request until it is answered with success, at most as often as the settings say.
 *
 * Effect: HTTP requests. Sent again only while nothing of an answer has come.
 *
 * @throws InvokeError ERR_AI_*, ERR_INVOKE_CANCELLED
 * @see kernel-specs/models.md AI-20, AI-21
 */
export async function openResponse(call: Call): Promise<Response> {
  const { settings, clock } = call;
  for (let attempt = 0; ; attempt += 1) {
    const answered = await send(call);
    if ('response' in answered) return answered.response;
    const { error, retry, retryAfterMs } = answered.problem;
    const waitMs = retryAfterMs ?? backoffMs(settings, attempt);
    if (!retry || attempt >= settings.retries || waitMs > settings.retryDelayMaxMs) throw error;
    await wait(waitMs, clock);
  }
}

/**
 * The text of a response, piece by piece.
 *
 * Effect: reads the body, and gives it up when the reader stops. Bytes are counted after decompression.
 *
 * @throws InvokeError ERR_AI_CUT_OFF, ERR_AI_TIMEOUT, ERR_AI_RESPONSE_TOO_LARGE, ERR_AI_RESPONSE_INVALID,
 *   ERR_INVOKE_CANCELLED
 */
export async function* readPieces(response: Response, clock: CallClock, settings: Settings): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = response.body?.getReader();
  let bytes = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(reader, clock, settings.idleMs);
      if (chunk === undefined) break;
      bytes += chunk.byteLength;
      if (bytes > settings.responseBytesMax) throw responseTooLarge(settings.responseBytesMax);
      yield decode(decoder, chunk);
    }
    yield decode(decoder);
  } finally {
    // What cannot be cancelled is over already; the outcome is decided by then.
    await reader?.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function nextChunk(
  reader: Reader | undefined,
  clock: CallClock,
  idleMs: number,
): Promise<Uint8Array | undefined> {
  clock.assertRunning();
  clock.arm('idle', idleMs);
  try {
    const read = await reader?.read();
    return read?.value;
  } catch {
    throw clock.stopped ?? cutOff();
  } finally {
    clock.disarm();
  }
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw responseInvalid('it is not UTF-8');
  }
}

async function send(call: Call): Promise<{ readonly response: Response } | { readonly problem: CallProblem }> {
  const { settings, clock, key } = call;
  clock.assertRunning();
  clock.arm('response', settings.responseMs);
  let response: Response;
  try {
    response = await fetch(settings.endpoint, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: call.stream ? 'text/event-stream' : 'application/json',
      },
      body: call.body,
      signal: clock.signal,
    });
  } catch (error) {
    if (clock.stopped !== undefined) throw clock.stopped;
    return { problem: connectionProblem(error) };
  } finally {
    clock.disarm();
  }
  if (response.ok) return { response };
  return { problem: statusProblem(response, await errorBody(response, clock, settings), key) };
}

/** The JSON of an error's body; undefined when it is none, is too large, or does not come. */
async function errorBody(response: Response, clock: CallClock, settings: Settings): Promise<unknown> {
  const pieces: string[] = [];
  try {
    const limits = { ...settings, responseBytesMax: ERROR_BYTES_MAX };
    for await (const piece of readPieces(response, clock, limits)) pieces.push(piece);
    const body: unknown = JSON.parse(pieces.join(''));
    return body;
  } catch {
    clock.assertRunning();
    return undefined;
  }
}

async function wait(ms: number, clock: CallClock): Promise<void> {
  try {
    await delay(ms, undefined, { signal: clock.signal });
  } catch (error) {
    throw clock.stopped ?? error;
  }
}

/** Between a half and the whole of a delay that doubles. */
function backoffMs({ retryDelayMs, retryDelayMaxMs }: Settings, attempt: number): number {
  const whole = Math.min(retryDelayMs * 2 ** attempt, retryDelayMaxMs);
  return whole * (0.5 + Math.random() / 2);
}
