import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** How one request is answered. `at` is the step at which a test lets a held one go on. */
export type Script =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly finish?: string;
      readonly message?: object;
      readonly usage?: object;
    }
  | {
      readonly kind: 'stream';
      readonly events: readonly string[];
      readonly splitAt?: number;
      readonly end?: 'close' | 'destroy';
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: 'raw'; readonly body: string | Buffer; readonly headers?: Readonly<Record<string, string>> }
  /** Sends the headers, when `begun`, and then nothing until the client has gone. */
  | { readonly kind: 'hang'; readonly begun?: string }
  | { readonly kind: 'reset' };

/** One request as it came. */
interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  /** The body as it came. */
  readonly text: string;
}

/** A model endpoint on loopback that behaves as it is told, one script for each request, the last one for all others. */
export interface ModelServer {
  readonly baseUrl: string;
  readonly asked: readonly Asked[];
  /** Resolves when a client has gone away from a held request. */
  readonly abandoned: Promise<void>;
  /** Replaces what is left of the scripts. */
  script(...scripts: readonly Script[]): void;
  /** Answers each request with what `answer` makes of it, from now on. */
  answerWith(answer: (asked: Asked, index: number) => string): void;
  close(): Promise<void>;
}

/** Starts one. Effect: listens on a port of loopback until the test ends. */
export async function startModelServer(...scripts: readonly Script[]): Promise<ModelServer> {
  const server = await openModelServer(...scripts);
  onTestFinished(() => server.close());
  return server;
}

/** The same, until it is closed. */
export async function openModelServer(...scripts: readonly Script[]): Promise<ModelServer> {
  const asked: Asked[] = [];
  let left = [...scripts];
  let answering: ((one: Asked, index: number) => string) | undefined;
  let abandon: (() => void) | undefined;
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });
  const server = createServer((request, response) => {
    void receive(request).then((one) => {
      asked.push(one);
      response.on('close', () => {
        if (!response.writableFinished) abandon?.();
      });
      const script: Script =
        answering === undefined
          ? ((left.length > 1 ? left.shift() : left[0]) ?? { kind: 'status', status: 500 })
          : { kind: 'answer', text: answering(one, asked.length - 1) };
      return perform(script, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    baseUrl: `http://127.0.0.1:${isAddress(address) ? address.port : 0}/v1`,
    asked,
    abandoned,
    script: (...next) => {
      answering = undefined;
      left = [...next];
    },
    answerWith: (answer) => {
      answering = answer;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The events of a stream that tells `deltas`. Pure. */
export function streamOf(deltas: readonly string[], finish: string | null = 'stop'): readonly string[] {
  const chunk = (choice: object): string =>
    event({ object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] });
  return [
    chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null }),
    ...deltas.map((content) => chunk({ delta: { content }, finish_reason: null })),
    ...(finish === null ? [] : [chunk({ delta: {}, finish_reason: finish })]),
    event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } }),
    'data: [DONE]\n\n',
  ];
}

/** One event. Pure. */
export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

async function receive(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString('utf8');
  const body: Record<string, unknown> = JSON.parse(text);
  return { url: `${request.method} ${request.url}`, headers: request.headers, body, text };
}

async function perform(script: Script, response: ServerResponse): Promise<void> {
  switch (script.kind) {
    case 'answer': {
      const { text, finish = 'stop', message = {}, usage } = script;
      const choice = { index: 0, message: { role: 'assistant', content: text, ...message }, finish_reason: finish };
      const counts = usage ?? { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'chat.completion', choices: [choice], usage: counts }));
      return;
    }
    case 'stream':
      await streamEvents(script, response);
      return;
    case 'status':
      response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers });
      response.end(script.body ?? '');
      return;
    case 'raw':
      response.writeHead(200, { 'content-type': 'application/json', ...script.headers });
      response.end(script.body);
      return;
    case 'hang':
      if (script.begun !== undefined) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(script.begun);
      }
      return;
    case 'reset':
      response.destroy();
  }
}

/** Writes bytes in pieces of `splitAt`, each a write of its own, so that events and characters arrive split. */
async function streamEvents(script: Extract<Script, { kind: 'stream' }>, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const bytes = Buffer.from(script.events.join(''), 'utf8');
  const size = script.splitAt ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(at, at + size), () => setImmediate(resolve));
    });
  }
  if (script.end === 'destroy') response.destroy();
  else response.end();
}

function isAddress(value: ReturnType<ReturnType<typeof createServer>['address']>): value is AddressInfo {
  return typeof value === 'object' && value !== null;
}
