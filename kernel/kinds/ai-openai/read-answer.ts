import { isPlainObject } from '../../graph/plain.ts';
import type { FinishReason, ModelAnswer, ToolCall, Usage } from '../ai/contract.ts';
import { responseInvalid } from './problems.ts';

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  error: 'error',
};

/** Reads the answer of one exchange. Pure. @throws InvokeError ERR_AI_RESPONSE_INVALID @see kernel-specs/models.md AI-14 */
export function readAnswer(text: string): ModelAnswer {
  const body = parseMembers(text, 'it is not JSON');
  const choice = firstChoice(body);
  const message = choice === undefined ? undefined : choice['message'];
  if (choice === undefined || !isPlainObject(message)) throw responseInvalid('it holds no message');
  const { content, refusal, tool_calls: calls } = message;
  const toolCalls = Array.isArray(calls) ? calls.map(readCall) : [];
  const refused = typeof refusal === 'string' && refusal !== '';
  return {
    text: typeof content === 'string' ? content : '',
    usage: readUsage(body['usage']),
    finishReason: refused ? 'content-filter' : finishReasonOf(choice['finish_reason']),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

/** JSON text as an object. Pure. @throws InvokeError ERR_AI_RESPONSE_INVALID with `found`, never with the text */
export function parseMembers(text: string, found: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw responseInvalid(found);
  }
  if (!isPlainObject(value)) throw responseInvalid(found);
  return value;
}

/** The first choice of an answer or of one of its events. Pure. */
export function firstChoice(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const { choices } = body;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isPlainObject(choice) ? choice : undefined;
}

/** Why an answer ended, in the words of the contract. Pure. */
export function finishReasonOf(value: unknown): FinishReason {
  return (typeof value === 'string' && Object.hasOwn(FINISH, value) ? FINISH[value] : undefined) ?? 'other';
}

/** Tokens, 0 where they are not told. Pure. */
export function readUsage(value: unknown): Usage {
  const stated = isPlainObject(value) ? value : {};
  const promptTokens = tokens(stated['prompt_tokens']);
  const completionTokens = tokens(stated['completion_tokens']);
  return {
    promptTokens,
    completionTokens,
    totalTokens: tokens(stated['total_tokens']) || promptTokens + completionTokens,
  };
}

/** One call of a tool from its parts. Pure. @throws InvokeError ERR_AI_RESPONSE_INVALID */
export function toolCall(id: unknown, name: unknown, text: unknown): ToolCall {
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') {
    throw responseInvalid('it holds a tool call without id, name or arguments');
  }
  return { id, name, arguments: parseMembers(text === '' ? '{}' : text, 'the arguments of a tool call are no JSON') };
}

function readCall(value: unknown): ToolCall {
  const { id, function: called } = isPlainObject(value) ? value : {};
  const { name, arguments: text } = isPlainObject(called) ? called : {};
  return toolCall(id, name, text);
}

function tokens(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
