import { isPlainObject } from '../../graph/plain.ts';
import type { ContentPart, Message, ModelRequest, Tool } from '../ai/contract.ts';
import type { Settings } from './settings.ts';

/** Options that have another name in the endpoint's language; any other is sent under its own. */
const SPELLINGS: Readonly<Record<string, string>> = {
  maxTokens: 'max_tokens',
  maxOutputTokens: 'max_tokens',
  topP: 'top_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  stopSequences: 'stop',
  reasoningEffort: 'reasoning_effort',
  responseFormat: 'response_format',
};

/** Members that are not options: what is asked, of whom, and how it is told. */
const OWN: ReadonlySet<string> = new Set(['model', 'messages', 'tools', 'stream', 'stream_options', 'n']);

/** The JSON text of one request. Pure. @see kernel-specs/models.md AI-13 */
export function requestBody(request: ModelRequest, settings: Settings, stream: boolean): string {
  const { messages, tools = [] } = request;
  const body = {
    ...optionsOf(settings.options),
    ...optionsOf(request.options ?? {}),
    model: settings.model,
    messages: messages.map(messageOf),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  return JSON.stringify(body, (_name, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));
}

function optionsOf(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = Object.entries(options).map(([name, value]): [string, unknown] => [SPELLINGS[name] ?? name, value]);
  return Object.fromEntries(named.filter(([name, value]) => value !== undefined && !OWN.has(name)));
}

function messageOf({ role, content, toolCalls, toolCallId }: Message): object {
  return {
    role,
    content: typeof content === 'string' ? content : content.map(partOf),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callOf) }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  };
}

function partOf(part: ContentPart): object {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { data, mediaType } = part;
  const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${base64}` } };
}

function callOf(call: { readonly id: string; readonly name: string; readonly arguments: unknown }): object {
  const stated = call.arguments;
  const text = typeof stated === 'string' ? stated : JSON.stringify(isPlainObject(stated) ? stated : {});
  return { id: call.id, type: 'function', function: { name: call.name, arguments: text } };
}

function toolOf({ name, description, parameters }: Tool): object {
  return { type: 'function', function: { name, parameters, ...(description === undefined ? {} : { description }) } };
}
