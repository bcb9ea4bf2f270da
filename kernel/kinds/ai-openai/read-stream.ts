import { createParser } from 'eventsource-parser';
import { isPlainObject } from '../../graph/plain.ts';
import type { FinishReason, ModelPart, Usage } from '../ai/contract.ts';
import { endpointWord } from './classify.ts';
import { aiError, cutOff, responseInvalid } from './problems.ts';
import { finishReasonOf, firstChoice, parseMembers, readUsage, toolCall } from './read-answer.ts';

/** The parts of an answer without its failure, which is thrown. */
export type AnswerPart = Exclude<ModelPart, { type: 'error' }>;

const DONE = '[DONE]';

/**
 * The parts of an answer that comes as events, however they are split.
 *
 * Pure, but for what it reads from `pieces`. The last part is `finish`; a stream that ends without a finish reason is cut off.
 *
 * @throws InvokeError ERR_AI_CUT_OFF, ERR_AI_RESPONSE_INVALID, ERR_AI_UNAVAILABLE and what `pieces` throws
 * @see kernel-specs/models.md AI-15
 */
export async function* readStream(pieces: AsyncIterable<string>, key: string): AsyncGenerator<AnswerPart> {
  const reading = new Reading(key);
  for await (const piece of pieces) {
    yield* reading.feed(piece);
    if (reading.done) break;
  }
  yield* reading.finish();
}

interface PartialCall {
  id: unknown;
  name: unknown;
  text: string;
}

class Reading {
  done = false;
  readonly #key: string;
  readonly #events: string[] = [];
  readonly #calls = new Map<number, PartialCall>();
  readonly #parser = createParser({ onEvent: ({ data }) => this.#events.push(data) });
  #finish: FinishReason | undefined;
  #refused = false;
  #usage: Usage = readUsage(undefined);

  constructor(key: string) {
    this.#key = key;
  }

  *feed(piece: string): Generator<AnswerPart> {
    this.#parser.feed(piece);
    for (const data of this.#events.splice(0)) {
      if (this.done) return;
      if (data === DONE) this.done = true;
      else yield* this.#read(parseMembers(data, 'an event of it is not JSON'));
    }
  }

  /** What is left to say once the stream has ended. */
  finish(): AnswerPart[] {
    if (this.#finish === undefined) throw cutOff();
    const calls = [...this.#calls.values()].map(({ id, name, text }): AnswerPart => ({
      type: 'tool-call',
      toolCall: toolCall(id, name, text),
    }));
    const finishReason = this.#refused ? 'content-filter' : this.#finish;
    return [...calls, { type: 'finish', usage: this.#usage, finishReason }];
  }

  *#read(event: Readonly<Record<string, unknown>>): Generator<AnswerPart> {
    if (isPlainObject(event['error'])) {
      const reason = endpointWord(event, this.#key);
      const detail = reason === undefined ? {} : { reason };
      throw aiError('ERR_AI_UNAVAILABLE', 'the endpoint failed while it answered', 'Ask again later.', detail);
    }
    if (isPlainObject(event['usage'])) this.#usage = readUsage(event['usage']);
    const choice = firstChoice(event);
    if (choice === undefined) return;
    const delta = isPlainObject(choice['delta']) ? choice['delta'] : {};
    const { content, refusal, tool_calls: calls } = delta;
    if (typeof content === 'string' && content !== '') yield { type: 'text-delta', delta: content };
    if (typeof refusal === 'string' && refusal !== '') this.#refused = true;
    if (Array.isArray(calls)) for (const call of calls) this.#addCall(call);
    if (typeof choice['finish_reason'] === 'string') this.#finish = finishReasonOf(choice['finish_reason']);
  }

  #addCall(value: unknown): void {
    const { index = 0, id, function: called } = isPlainObject(value) ? value : {};
    if (typeof index !== 'number') throw responseInvalid('it holds a tool call without a place');
    const call = this.#calls.get(index) ?? { id: undefined, name: undefined, text: '' };
    const { name, arguments: text } = isPlainObject(called) ? called : {};
    this.#calls.set(index, {
      id: call.id ?? id,
      name: call.name ?? name,
      text: call.text + (typeof text === 'string' ? text : ''),
    });
  }
}
