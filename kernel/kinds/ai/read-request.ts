import { InvokeError } from '@telorun/sdk';
import { isPlainObject } from '../../graph/plain.ts';
import type { ContentPart, Message, ModelRequest, Tool, ToolCall } from './contract.ts';

const ROLES = ['system', 'user', 'assistant', 'tool'] as const;

/**
 * Reads what a model is asked; nothing of it is quoted when it cannot be read.
 *
 * Pure.
 *
 * @throws InvokeError ERR_AI_INPUT
 * @see kernel-specs/models.md AI-02
 */
export function readModelRequest(value: unknown): ModelRequest {
  if (!isPlainObject(value)) throw refused('it is no object');
  const { messages, options, tools, signal } = value;
  if (!Array.isArray(messages) || messages.length === 0) throw refused('messages is no list with content');
  if (options !== undefined && !isPlainObject(options)) throw refused('options is no object');
  if (tools !== undefined && !Array.isArray(tools)) throw refused('tools is no list');
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw refused('signal is no AbortSignal');
  return {
    messages: messages.map(readMessage),
    ...(options === undefined ? {} : { options }),
    ...(tools === undefined ? {} : { tools: tools.map(readTool) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function readMessage(value: unknown, index: number): Message {
  const at = `messages[${index}]`;
  if (!isPlainObject(value)) throw refused(`${at} is no object`);
  const { content, toolCalls, toolCallId } = value;
  const role = ROLES.find((known) => known === value['role']);
  if (role === undefined) throw refused(`${at}.role is none of ${ROLES.join(', ')}`);
  if (toolCallId !== undefined && typeof toolCallId !== 'string') throw refused(`${at}.toolCallId is no string`);
  if (toolCalls !== undefined && !Array.isArray(toolCalls)) throw refused(`${at}.toolCalls is no list`);
  return {
    role,
    content: readContent(content, at),
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.map((call: unknown) => readToolCall(call, at)) }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

function readContent(value: unknown, at: string): Message['content'] {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) throw refused(`${at}.content is neither a string nor a list`);
  return value.map((part: unknown): ContentPart => {
    if (isPlainObject(part)) {
      const { type, text, data, mediaType } = part;
      if (type === 'text' && typeof text === 'string') return { type, text };
      const isData = typeof data === 'string' || data instanceof Uint8Array;
      if (type === 'image' && isData && typeof mediaType === 'string') return { type, data, mediaType };
    }
    throw refused(`${at}.content holds a part that is neither text nor image`);
  });
}

function readToolCall(value: unknown, at: string): ToolCall {
  if (isPlainObject(value)) {
    const { id, name } = value;
    if (typeof id === 'string' && typeof name === 'string') return { id, name, arguments: value['arguments'] };
  }
  throw refused(`${at}.toolCalls holds what is no call`);
}

function readTool(value: unknown, index: number): Tool {
  if (isPlainObject(value)) {
    const { name, description, parameters } = value;
    if (
      typeof name === 'string' &&
      isPlainObject(parameters) &&
      (description === undefined || typeof description === 'string')
    ) {
      return { name, parameters, ...(description === undefined ? {} : { description }) };
    }
  }
  throw refused(`tools[${index}] is no tool`);
}

function refused(found: string): InvokeError {
  return new InvokeError('ERR_AI_INPUT', `Cannot ask a model: ${found}`, {
    hint: 'State messages as a list of {role, content}.',
  });
}
