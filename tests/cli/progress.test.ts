import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KernelEvent } from '../../kernel/events.ts';
import { paint } from '../../kernel/cli/paint.ts';
import { progressPrinter } from '../../kernel/cli/progress.ts';
import { startModelServer, streamOf } from '../support/model-server/model-server.ts';
import { Place, packageCopy } from './command-line.ts';

const DRAFT = 'steps/plan/draft[0]';
const MODEL = 'AiOpenai.OpenaiModel/writer';
const BEGUN: readonly KernelEvent[] = [
  { type: 'run.started', run: 'r', workflow: 'w', resumed: false },
  { type: 'effect.begun', run: 'r', path: DRAFT, target: MODEL },
];

/** What the printer writes for these events. */
function printed(events: readonly KernelEvent[], isTTY: boolean, columns = 80): string {
  const pieces: string[] = [];
  const stream = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        pieces.push(chunk.toString());
        done();
      },
    }),
    { isTTY, columns },
  );
  const listen = progressPrinter(stream, paint({}, { NO_COLOR: '1' }));
  for (const event of events) listen(event);
  return pieces.join('');
}

function told(payload: unknown, resource = MODEL): KernelEvent {
  return { type: 'resource.progress', resource, payload };
}

describe('how far an answer has come', () => {
  it('CL-25 is written over the line of its effect on a terminal, counted and not quoted', () => {
    const text = printed([...BEGUN, told({ characters: 256 }), told({ characters: 512, text: 'secret' })], true);

    expect(text.split('\r\u001b[2K').slice(-2)).toEqual([
      '  … plan / draft[0]  256 characters',
      '  … plan / draft[0]  512 characters',
    ]);
    expect(text).not.toContain('secret');
    expect(printed([...BEGUN, told({ characters: 1 })], true, 12)).toMatch(/… plan \/ $/);
  });

  it.each<[string, KernelEvent]>([
    ['another resource tells it', told({ characters: 256 }, 'AiOpenai.OpenaiModel/other')],
    ['it counts nothing', told({ characters: '\u001b[2J' })],
    ['it is no object', told(null)],
  ])('CL-25 is not written where %s', (_why, event) => {
    expect(printed([...BEGUN, event], true)).toBe(printed(BEGUN, true));
  });

  it('CL-25 is not written where nothing is shown that it belongs to, nor without a terminal', () => {
    const failed: KernelEvent = { type: 'effect.failed', run: 'r', path: DRAFT, error: { code: 'ERR', message: '' } };
    expect(printed([...BEGUN, failed, told({ characters: 256 })], true)).toBe(printed([...BEGUN, failed], true));
    expect(printed([...BEGUN, told({ characters: 256 })], false)).toBe(printed(BEGUN, false));
  });
});

describe('telo-xmd run with a model that streams', { timeout: 120_000 }, () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    packageCopy(place);
    const example = place.path('manifests', 'examples', 'plan-and-approve');
    cpSync(`${example}/project`, `${example}/workspace`, { recursive: true });
  });
  afterEach(() => place.remove());

  const RUN = ['run', 'manifests/examples/plan-and-approve/telo.yaml', '--inputs', '{"subject":"s","task":"t"}'];
  const FRAGMENT = `<File path="a.md">${'0123456789'.repeat(60)}</File>`;

  it('CL-25 tells it on a terminal, and neither in --json nor without one', async () => {
    const server = await startModelServer({ kind: 'stream', events: streamOf(FRAGMENT.match(/.{1,40}/g) ?? []) });
    const env = { MODEL_URL: server.baseUrl };

    const plain = await place.run(RUN, { env });
    const json = await place.run([...RUN, '--run-id', 'j', '--json'], { env });

    expect([plain.code, json.code, server.asked.length]).toEqual([2, 2, 2]);
    expect(`${plain.stdout}${plain.stderr}${json.stdout}${json.stderr}`).not.toMatch(/\d+ characters/);
    expect(server.asked.map(({ body }) => body['stream'])).toEqual([true, true]);
  });

  it.runIf(spawnSync('script', ['--version']).status === 0)(
    'CL-25 tells it in a pseudo-terminal, and takes it away again',
    async () => {
      const server = await startModelServer({ kind: 'stream', events: streamOf(FRAGMENT.match(/.{1,40}/g) ?? []) });

      const said = await place.terminal(RUN, { env: { MODEL_URL: server.baseUrl } });

      expect(said).toContain('      … draft[0]  280 characters\r\u001b[2K');
      expect(said).toContain('      … draft[0]  560 characters\r\u001b[2K');
      expect(said).toContain('is parked');
    },
  );
});
