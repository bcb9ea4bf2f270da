import { codeOf, isCancellationError, isInvokeError } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceManifest } from '@telorun/sdk';
import type { FinishReason, Model, ModelAnswer, ModelPart, ModelRequest, ToolCall, Usage } from '../ai/contract.ts';
import { readModelRequest } from '../ai/read-request.ts';
import { CallClock } from './call-clock.ts';
import { openResponse, readPieces } from './exchange.ts';
import type { Call } from './exchange.ts';
import { readAnswer } from './read-answer.ts';
import { readStream } from './read-stream.ts';
import type { AnswerPart } from './read-stream.ts';
import { requestBody } from './request-body.ts';
import { readKey, readSettings } from './settings.ts';
import type { Settings } from './settings.ts';

/** Characters between two events that say how far an answer has come. */
const PROGRESS_CHARACTERS = 256;

/** `AiOpenai.OpenaiModel`. @see kernel-specs/models.md */
class OpenaiModel implements Model {
  readonly #settings: Settings;
  // Private in the language's own sense: nothing that prints or copies the instance shows it.
  readonly #key: string;
  readonly #tellProgress: (characters: number) => void;
  readonly #down = new AbortController();

  constructor(settings: Settings, key: string, tellProgress: (characters: number) => void) {
    this.#settings = settings;
    this.#key = key;
    this.#tellProgress = tellProgress;
  }

  /**
   * Asks once and answers the whole text. Effect: HTTP.
   *
   * @throws InvokeError ERR_AI_*, ERR_INVOKE_CANCELLED
   */
  async invoke(request: unknown, context?: InvokeContext): Promise<ModelAnswer> {
    const asked = readModelRequest(request);
    if (this.#settings.streaming) return this.#collect(asked, context);
    const call = this.#call(asked, false, context);
    try {
      return readAnswer(await wholeText(await openResponse(call), call));
    } finally {
      call.clock.dispose();
    }
  }

  /**
   * Asks once and tells the answer as it comes; a failure is its last part. Effect: HTTP, from the first part asked for.
   *
   * @throws InvokeError ERR_INVOKE_CANCELLED
   */
  async *stream(request: unknown, context?: InvokeContext): AsyncGenerator<ModelPart> {
    try {
      yield* this.#parts(readModelRequest(request), context);
    } catch (error) {
      if (isCancellationError(error) || !isInvokeError(error)) throw error;
      const { message, data } = error;
      const code = codeOf(error);
      yield { type: 'error', error: { message, ...(code === undefined ? {} : { code }), data } };
    }
  }

  /** What may be seen of it. Pure. */
  snapshot(): object {
    const { model, endpoint } = this.#settings;
    return { model, endpoint: endpoint.origin };
  }

  /** Effect: gives up every call under way. */
  teardown(): void {
    this.#down.abort();
  }

  async *#parts(request: ModelRequest, context?: InvokeContext): AsyncGenerator<AnswerPart> {
    const call = this.#call(request, true, context);
    try {
      const response = await openResponse(call);
      if (response.headers.get('content-type')?.includes('json') === true) {
        yield* asParts(readAnswer(await wholeText(response, call)));
      } else {
        yield* readStream(readPieces(response, call.clock, call.settings), this.#key);
      }
    } finally {
      call.clock.dispose();
    }
  }

  async #collect(request: ModelRequest, context?: InvokeContext): Promise<ModelAnswer> {
    const pieces: string[] = [];
    const toolCalls: ToolCall[] = [];
    let end: { readonly usage: Usage; readonly finishReason: FinishReason } | undefined;
    let characters = 0;
    let told = 0;
    for await (const part of this.#parts(request, context)) {
      if (part.type === 'tool-call') toolCalls.push(part.toolCall);
      else if (part.type === 'finish') end = { usage: part.usage, finishReason: part.finishReason };
      else {
        pieces.push(part.delta);
        characters += part.delta.length;
        if (characters - told >= PROGRESS_CHARACTERS) this.#tellProgress((told = characters));
      }
    }
    if (end === undefined) throw new TypeError('The last part of an answer is its end');
    return { text: pieces.join(''), ...end, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
  }

  #call(request: ModelRequest, stream: boolean, context?: InvokeContext): Call {
    const settings = this.#settings;
    const body = requestBody(request, settings, stream);
    const cancelledBy = [request.signal, context?.cancellation.signal, this.#down.signal];
    const clock = new CallClock(
      settings.totalMs,
      cancelledBy.filter((signal) => signal !== undefined),
    );
    return { settings, key: this.#key, body, stream, clock };
  }
}

async function wholeText(response: Response, { clock, settings }: Call): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of readPieces(response, clock, settings)) pieces.push(piece);
  return pieces.join('');
}

function asParts({ text, usage, finishReason, toolCalls = [] }: ModelAnswer): AnswerPart[] {
  return [
    ...(text === '' ? [] : [{ type: 'text-delta' as const, delta: text }]),
    ...toolCalls.map((toolCall) => ({ type: 'tool-call' as const, toolCall })),
    { type: 'finish', usage, finishReason },
  ];
}

/** Makes one model. @throws InvokeError ERR_AI_CONFIG */
export function create(resource: ResourceManifest, ctx: ResourceContext): Model {
  return new OpenaiModel(readSettings(resource), readKey(resource), (characters) =>
    ctx.emit('Progress', { characters }),
  );
}
