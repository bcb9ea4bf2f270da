// A stand-in for a language model, so that examples run without a key: an OpenAI-compatible endpoint on loopback.
//
//   node scripted-model.mjs <example>     PORT (8808), PACE: milliseconds between two pieces of an answer (20)
//
// What it answers is computed from the messages by <example>/answers.mjs, the same for the same messages.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const PIECE_CHARACTERS = 24;

const { PORT = '8808', PACE = '20' } = process.env;
const { answer } = await import(new URL(`./${process.argv[2]}/answers.mjs`, import.meta.url).href);

const server = createServer((request, response) => {
  reply(request, response).catch((error) => response.destroy(error));
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`A scripted model listens on http://127.0.0.1:${server.address().port}/v1`);
});

async function reply(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.writeHead(404).end();
    return;
  }
  const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const text = answer(messages);
  if (stream === true) {
    await tell(text, response);
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: text }, finish_reason: 'stop' }] }));
}

async function tell(text, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const event = (choice) => response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    event({ delta: { content: text.slice(at, at + PIECE_CHARACTERS) } });
    await delay(Number(PACE));
  }
  event({ delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
}
