import type { ResourceInstance } from '@telorun/sdk';

/** A piece of a message: text, or an image as bytes or base64. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string | Uint8Array; readonly mediaType: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly ContentPart[];
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
}

export interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly Tool[];
  readonly signal?: AbortSignal;
}

/** Tokens, as the endpoint counts them; 0 where it does not say. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'error' | 'tool-calls' | 'other';

/** What a model answered. */
export interface ModelAnswer {
  readonly text: string;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly toolCalls?: readonly ToolCall[];
}

/** One part of an answer that is told as it comes. */
export type ModelPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | { readonly type: 'tool-call'; readonly toolCall: ToolCall }
  | { readonly type: 'finish'; readonly usage: Usage; readonly finishReason: FinishReason }
  | {
      readonly type: 'error';
      readonly error: { readonly message: string; readonly code?: string; readonly data?: unknown };
    };

/** A live instance of `Ai.Model`. Its methods are called directly, not through the kernel's chokepoint. */
export interface Model extends ResourceInstance {
  invoke(request: unknown): Promise<ModelAnswer>;
  stream(request: unknown): AsyncIterable<ModelPart>;
}
