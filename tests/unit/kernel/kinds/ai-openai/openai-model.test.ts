import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createCancellationSource } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import { AI_CODES } from '../../../../../kernel/kinds/ai-openai/problems.ts';
import { event, startModelServer, streamOf } from '../../../../support/model-server/model-server.ts';
import { all, asking, closedPort, failureOf, KEY, openModel } from './model.ts';

describe('what is asked', () => {
  it('AI-13 asks the endpoint for one completion, with key, model, messages, options and tools', async () => {
    const server = await startModelServer({ kind: 'answer', text: 'hi' });
    const { model } = await openModel({ baseUrl: `${server.baseUrl}/`, options: { temperature: 0, maxTokens: 5n } });

    await model.invoke({
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image', data: new Uint8Array([1, 2]), mediaType: 'image/png' },
          ],
        },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'add', arguments: { a: 1 } }] },
        { role: 'tool', content: '2', toolCallId: 'c1' },
      ],
      options: { temperature: 1, model: 'other', stream: true, seed: 3 },
      tools: [{ name: 'add', parameters: { type: 'object' } }],
    });

    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]).toMatchObject({
      url: 'POST /v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    });
    expect(server.asked[0]?.body).toEqual({
      model: 'small-1',
      temperature: 1,
      max_tokens: 5,
      seed: 3,
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AQI=' } },
          ],
        },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
        },
        { role: 'tool', content: '2', tool_call_id: 'c1' },
      ],
      tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
    });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no messages', { messages: [] }],
    ['an unknown role', { messages: [{ role: 'root', content: 'x' }] }],
    ['content of another type', { messages: [{ role: 'user', content: 5 }] }],
    ['a part of another type', { messages: [{ role: 'user', content: [{ type: 'video' }] }] }],
    ['options that are none', { ...asking(), options: [] }],
    ['a tool that is none', { ...asking(), tools: [{}] }],
  ])('AI-02 refuses %s, and asks nothing', async (_name, request) => {
    const server = await startModelServer({ kind: 'answer', text: 'hi' });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(request)).rejects.toMatchObject({ code: 'ERR_AI_INPUT' });
    expect(server.asked).toHaveLength(0);
    await expect(model.invoke(asking())).resolves.toMatchObject({ text: 'hi' });
  });
});

describe('what is answered', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'tool-calls'],
    ['weird', 'other'],
  ])('AI-14 answers text, usage and why it ended: %s is %s', async (finish, finishReason) => {
    const server = await startModelServer({ kind: 'answer', text: 'hi', finish });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(asking())).resolves.toEqual({
      text: 'hi',
      finishReason,
      usage: { promptTokens: 7, completionTokens: 5, totalTokens: 12 },
    });
  });

  it('AI-14 answers calls of tools, and a refusal as a content filter', async () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }];
    const server = await startModelServer(
      { kind: 'answer', text: '', finish: 'tool_calls', message: { content: null, tool_calls: calls }, usage: {} },
      { kind: 'answer', text: '', message: { content: null, refusal: 'no' } },
    );
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(asking())).resolves.toMatchObject({
      toolCalls: [{ id: 'c', name: 'add', arguments: { a: 1 } }],
      usage: { totalTokens: 0 },
    });
    await expect(model.invoke(asking())).resolves.toMatchObject({ text: '', finishReason: 'content-filter' });
  });

  it.each([
    ['no JSON', '<html>'],
    ['cut JSON', '{"choices":[{"mess'],
    ['a list', '[]'],
    ['no choice', '{"choices":[]}'],
    [
      'arguments that are no JSON',
      '{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"b","arguments":"{"}}]}}]}',
    ],
  ])('AI-14 refuses %s, without a word of it', async (_name, body) => {
    const server = await startModelServer({ kind: 'raw', body });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(asking())).rejects.toMatchObject({ code: 'ERR_AI_RESPONSE_INVALID' });
    expect(server.asked).toHaveLength(1);
  });
});

/** One event with a part of a tool call, its lines ended by CRLF. */
function callEvent(part: object): string {
  return event({ choices: [{ delta: { tool_calls: [{ index: 0, ...part }] } }] }).replaceAll('\n', '\r\n');
}

describe('streams', () => {
  it.each([1, 2, 3, 7, 64, 100_000])('AI-15 tells text as it comes, written in pieces of %i bytes', async (splitAt) => {
    const deltas = ['Grüße ', '🦉 and ', 'data: [DONE]\n\nno end'];
    const server = await startModelServer({ kind: 'stream', events: streamOf(deltas), splitAt });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    const parts = await all(model.stream(asking()));

    expect(parts).toEqual([
      ...deltas.map((delta) => ({ type: 'text-delta', delta })),
      { type: 'finish', finishReason: 'stop', usage: { promptTokens: 7, completionTokens: 5, totalTokens: 12 } },
    ]);
    expect(server.asked[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('AI-15 puts the calls of tools together, and understands CRLF and comments', async () => {
    const events = [
      ': keep-alive\n\n',
      callEvent({ id: 'c', function: { name: 'add', arguments: '{"a"' } }),
      callEvent({ function: { arguments: ':1}' } }),
      event({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] }),
      'data: [DONE]\n\n',
    ];
    const server = await startModelServer({ kind: 'stream', events, splitAt: 5 });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(all(model.stream(asking()))).resolves.toMatchObject([
      { type: 'tool-call', toolCall: { id: 'c', name: 'add', arguments: { a: 1 } } },
      { type: 'finish', finishReason: 'tool-calls' },
    ]);
  });

  it.each<[string, readonly string[], 'close' | 'destroy', string]>([
    ['the end of the connection', streamOf(['a'], null).slice(0, 2), 'close', 'ERR_AI_CUT_OFF'],
    ['a torn connection', streamOf(['a'], null).slice(0, 2), 'destroy', 'ERR_AI_CUT_OFF'],
    ['an end without a reason', streamOf(['a'], null), 'close', 'ERR_AI_CUT_OFF'],
    [
      'an event that is no JSON',
      [...streamOf(['a'], null).slice(0, 2), 'data: {"cho\n\n'],
      'close',
      'ERR_AI_RESPONSE_INVALID',
    ],
    [
      'an error in the stream',
      [...streamOf(['a'], null).slice(0, 2), event({ error: { type: 'overloaded_error', message: KEY } })],
      'close',
      'ERR_AI_UNAVAILABLE',
    ],
  ])('AI-15 tells %s after what had come, as its last part', async (_name, events, end, code) => {
    const server = await startModelServer({ kind: 'stream', events, end });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    const parts = await all(model.stream(asking()));

    expect(parts).toMatchObject([{ delta: 'a' }, { type: 'error', error: { code } }]);
    expect(JSON.stringify(parts)).not.toContain(KEY);
    expect(server.asked).toHaveLength(1);
  });

  it('AI-16 invoke over a stream answers the same, throws the same, and tells how far it is', async () => {
    const words = Array.from({ length: 40 }, () => 'a word of ten ');
    const server = await startModelServer(
      { kind: 'stream', events: streamOf(words) },
      { kind: 'stream', events: streamOf(['a'], null) },
      { kind: 'answer', text: 'no stream here' },
    );
    const { model, ctx } = await openModel({ baseUrl: server.baseUrl, streaming: true });

    await expect(model.invoke(asking())).resolves.toEqual({
      text: words.join(''),
      finishReason: 'stop',
      usage: { promptTokens: 7, completionTokens: 5, totalTokens: 12 },
    });
    expect(ctx.emitted.map(({ event: name }) => name)).toEqual(['writer.Progress', 'writer.Progress']);
    await expect(model.invoke(asking())).rejects.toMatchObject({ code: 'ERR_AI_CUT_OFF' });
    await expect(model.invoke(asking())).resolves.toMatchObject({ text: 'no stream here', finishReason: 'stop' });
  });
});

describe('failures', () => {
  it.each<[number, Record<string, string>, string]>([
    [408, {}, 'ERR_AI_UNAVAILABLE'],
    [429, { 'retry-after': '0' }, 'ERR_AI_RATE_LIMITED'],
    [429, { 'retry-after-ms': '1' }, 'ERR_AI_RATE_LIMITED'],
    [500, {}, 'ERR_AI_UNAVAILABLE'],
    [503, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 'ERR_AI_UNAVAILABLE'],
  ])('AI-20 a %i with %o is sent again, at most as often as stated', async (status, headers, code) => {
    const server = await startModelServer({ kind: 'status', status, headers }, { kind: 'answer', text: 'hi' });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(asking())).resolves.toMatchObject({ text: 'hi' });
    expect(server.asked).toHaveLength(2);

    server.script({ kind: 'status', status, headers });
    await expect(model.invoke(asking())).rejects.toMatchObject({ code, data: { status } });
    expect(server.asked).toHaveLength(5);
  });

  it.each<[number, string, string]>([
    [400, '{"error":{"code":"context_length_exceeded"}}', 'ERR_AI_REJECTED'],
    [401, `{"error":{"message":"bad key ${KEY}","code":"invalid_api_key"}}`, 'ERR_AI_UNAUTHORIZED'],
    [403, '', 'ERR_AI_UNAUTHORIZED'],
    [404, '<html>', 'ERR_AI_REJECTED'],
    [429, '{"error":{"code":"insufficient_quota"}}', 'ERR_AI_RATE_LIMITED'],
  ])('AI-20 a %i with %s is not sent again', async (status, body, code) => {
    const server = await startModelServer({ kind: 'status', status, body });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(asking())).rejects.toMatchObject({ code });
    expect(server.asked).toHaveLength(1);
  });

  it('AI-20 does not wait longer than stated for an endpoint that asks for it, and says how long', async () => {
    const server = await startModelServer({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(asking())).rejects.toMatchObject({
      code: 'ERR_AI_RATE_LIMITED',
      data: { retryAfterMs: 3_600_000 },
    });
    expect(server.asked).toHaveLength(1);
  });

  it('AI-21 an endpoint that resets or is not there is unavailable, and asked again', async () => {
    const server = await startModelServer({ kind: 'reset' }, { kind: 'answer', text: 'hi' });
    const { model } = await openModel({ baseUrl: server.baseUrl });
    await expect(model.invoke(asking())).resolves.toMatchObject({ text: 'hi' });
    expect(server.asked).toHaveLength(2);

    const nowhere = await openModel({ baseUrl: `http://127.0.0.1:${await closedPort()}/v1` });
    await expect(nowhere.model.invoke(asking())).rejects.toMatchObject({
      code: 'ERR_AI_UNAVAILABLE',
      data: { reason: 'ECONNREFUSED' },
    });
  });

  it('AI-22 a redirect is refused, and the key goes nowhere else', async () => {
    const other = await startModelServer({ kind: 'answer', text: 'stolen' });
    const location = `${other.baseUrl}/chat/completions`;
    const server = await startModelServer({ kind: 'status', status: 307, headers: { location } });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    await expect(model.invoke(asking())).rejects.toMatchObject({ code: 'ERR_AI_REDIRECTED', data: { status: 307 } });
    expect([server.asked.length, other.asked.length]).toEqual([1, 0]);
  });

  it('AI-23 an answer past its size is given up, counted after decompression', async () => {
    const big = gzipSync(Buffer.alloc(1_000_000, 0x20));
    const server = await startModelServer({ kind: 'raw', body: big, headers: { 'content-encoding': 'gzip' } });
    const small = await openModel({ baseUrl: server.baseUrl, maxResponseBytes: 10_000 });

    expect(big.length).toBeLessThan(10_000);
    await expect(small.model.invoke(asking())).rejects.toMatchObject({ code: 'ERR_AI_RESPONSE_TOO_LARGE' });
    server.script({ kind: 'answer', text: 'hi' });
    await expect(small.model.invoke(asking())).resolves.toMatchObject({ text: 'hi' });
  });
});

describe('time and cancellation', () => {
  it.each<[string, object, object, string]>([
    ['an answer that does not begin', { kind: 'hang' }, { response: '30ms' }, 'response'],
    ['a stream that stops', { kind: 'hang', begun: streamOf(['a'])[1] }, { idle: '30ms' }, 'idle'],
    ['a call that takes too long', { kind: 'hang', begun: ': alive\n\n' }, { total: '30ms' }, 'total'],
  ])('AI-24 %s fails with the limit that has passed', async (_name, script, timeouts, phase) => {
    const server = await startModelServer(Object(script));
    const { model } = await openModel({ baseUrl: server.baseUrl, streaming: true, timeouts });

    await expect(model.invoke(asking())).rejects.toMatchObject({ code: 'ERR_AI_TIMEOUT', data: { phase } });
    await server.abandoned;
    expect(server.asked).toHaveLength(1);
  });

  it('AI-24 the time of a reader is not the time of the endpoint', async () => {
    const server = await startModelServer({ kind: 'stream', events: streamOf(['a', 'b']), splitAt: 64 });
    const { model } = await openModel({ baseUrl: server.baseUrl, timeouts: { idle: '100ms' } });
    const parts = model.stream(asking())[Symbol.asyncIterator]();
    await parts.next();

    await new Promise((resolve) => setTimeout(resolve, 200));

    await expect(parts.next()).resolves.toMatchObject({ value: { delta: 'b' } });
    await expect(parts.next()).resolves.toMatchObject({ value: { type: 'finish' } });
  });

  it('AI-25 cancelling gives up the request, in an answer, in a stream and while it waits', async () => {
    const server = await startModelServer({ kind: 'hang' });
    const { model } = await openModel({ baseUrl: server.baseUrl });
    const source = createCancellationSource();
    const invoked = model.invoke({ ...asking(), signal: source.token.signal });
    const settled = failureOf(invoked);
    await expect.poll(() => server.asked.length).toBe(1);
    source.cancel();
    expect(await settled).toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    await server.abandoned;

    server.script({ kind: 'hang', begun: streamOf(['a'])[1] ?? '' });
    const streaming = createCancellationSource();
    const parts = model.stream({ ...asking(), signal: streaming.token.signal })[Symbol.asyncIterator]();
    await expect(parts.next()).resolves.toMatchObject({ value: { delta: 'a' } });
    streaming.cancel();
    await expect(parts.next()).rejects.toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });

    server.script({ kind: 'status', status: 429, headers: { 'retry-after': '20' } });
    const waiting = createCancellationSource();
    const waited = failureOf(model.invoke({ ...asking(), signal: waiting.token.signal }));
    await expect.poll(() => server.asked.length).toBe(3);
    waiting.cancel();
    expect(await waited).toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
    expect(server.asked).toHaveLength(3);
  });

  it('AI-25 one that is cancelled already asks nothing, and a teardown gives up what is under way', async () => {
    const server = await startModelServer({ kind: 'hang' });
    const { model } = await openModel({ baseUrl: server.baseUrl });
    await expect(model.invoke({ ...asking(), signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ERR_INVOKE_CANCELLED',
    });
    expect(server.asked).toHaveLength(0);

    const settled = failureOf(model.invoke(asking()));
    await expect.poll(() => server.asked.length).toBe(1);
    await model.teardown?.();
    expect(await settled).toMatchObject({ code: 'ERR_INVOKE_CANCELLED' });
  });

  it('AI-25 a reader that stops gives up the request', async () => {
    const server = await startModelServer({ kind: 'hang', begun: streamOf(['a'])[1] ?? '' });
    const { model } = await openModel({ baseUrl: server.baseUrl });

    for await (const part of model.stream(asking())) {
      expect(part).toMatchObject({ delta: 'a' });
      break;
    }

    await server.abandoned;
  });
});

describe('configuration', () => {
  it.each<[string, Record<string, unknown>]>([
    ['no model', { model: '' }],
    ['no key', { apiKey: '' }],
    ['a key with a line end', { apiKey: `${KEY}\n` }],
    ['a base URL that is none', { baseUrl: 'models' }],
    ['a base URL with a user', { baseUrl: `https://me:${KEY}@example.org/v1` }],
    ['another protocol', { baseUrl: 'file:///etc/passwd' }],
    ['an unencrypted endpoint elsewhere', { baseUrl: 'http://models.example.org/v1' }],
  ])('AI-10 refuses %s, without a character of the key', async (_name, fields) => {
    const failure = await failureOf(openModel(fields));
    expect(failure).toMatchObject({ code: 'ERR_AI_CONFIG' });
    expect(inspect(failure, { depth: 10 })).not.toContain('canary');
  });

  it('AI-10 admits https, loopback, and what the author lets be unencrypted', async () => {
    const admitted = [
      {},
      { baseUrl: 'http://[::1]:8080/v1' },
      { baseUrl: 'http://models.example.org/v1', allowInsecure: true },
    ];
    const models = await Promise.all(admitted.map(openModel));

    expect(models.map(({ model }) => model.snapshot?.())).toMatchObject([
      { endpoint: 'https://api.openai.com' },
      { endpoint: 'http://[::1]:8080' },
      { endpoint: 'http://models.example.org' },
    ]);
  });

  it('AI-11 shows the key nowhere: not in its snapshot, its errors or when it is printed', async () => {
    const server = await startModelServer({ kind: 'status', status: 400, body: `{"error":{"code":"${KEY}"}}` });
    const { model, ctx } = await openModel({ baseUrl: server.baseUrl });
    const failure = await failureOf(model.invoke(asking()));

    const seen = inspect([model, model.snapshot?.(), failure, ctx.logged, ctx.emitted], {
      depth: 20,
      showHidden: true,
    });
    expect(seen).not.toContain('canary');
    expect(model.snapshot?.()).toEqual({ model: 'small-1', endpoint: new URL(server.baseUrl).origin });
  });
});

describe('codes', () => {
  it('AI-20 every code is documented, and no other', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../../kernel-specs/models.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `(ERR_AI_\w+)`/gm)].map(([, code]) => code);

    expect(documented).toHaveLength(Object.keys(AI_CODES).length);
    expect(documented).toEqual(expect.arrayContaining(Object.keys(AI_CODES)));
  });
});
