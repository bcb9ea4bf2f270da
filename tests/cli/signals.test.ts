import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeApplication } from './application.ts';
import { Place } from './command-line.ts';

describe('interrupting a command', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
    writeApplication(place);
  });
  afterEach(() => place.remove());

  const effects = (): readonly string[] => readFileSync(place.path('app/slow/effects.log'), 'utf8').trim().split('\n');

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`CL-11 ends a run with 130 on ${signal}, and another process finishes it`, async () => {
      const running = place.start(['run', 'app', '--workflow', 'hangs', '--run-id', 'h']);
      await running.said('hanging');
      running.kill(signal);
      const { code, stderr } = await running.ended;
      expect(code).toBe(130);
      expect(stderr).toContain('Run h was interrupted and can be resumed.\nContinue it with: npx telo-xmd resume h\n');
      expect(await place.json(['runs'])).toMatchObject({ value: { runs: [{ status: 'running', claimed: false }] } });

      expect((await place.run(['resume', 'h'], { env: { RELEASED: '1' } })).code).toBe(0);
      expect(effects()).toEqual(['first', 'hang', 'hang', 'last']);
    });
  }

  it('CL-11 hears a signal while a fragment with many effects is performed, and repeats none of them', async () => {
    const files = 300;
    const text = Array.from({ length: files }, (_, n) => `<File path="many-${n}.txt">${n}</File>`).join('\n');
    const inputs = place.write('inputs.json', JSON.stringify({ text }));
    const written = (): number =>
      readdirSync(place.path('app/files')).filter((name) => name.startsWith('many-')).length;

    const run = ['run', 'app', '--workflow', 'evaluates', '--run-id', 'm', '--inputs', `@${inputs}`];
    const running = place.start(run);
    await running.said('many-0.txt  written');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    const before = written();
    expect(before).toBeLessThan(files);

    const resumed = await place.run(['resume', 'm']);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr.match(/many-\d+\.txt  written\n/g)).toHaveLength(files - before);
    expect(written()).toBe(files);
  });

  it('CL-11 interrupts a resumed run as well', async () => {
    const first = place.start(['run', 'app', '--workflow', 'hangs', '--run-id', 'h']);
    await first.said('hanging');
    first.kill('SIGINT');
    await first.ended;
    const second = place.start(['resume', 'h', '--json']);
    await second.said('hanging');
    second.kill('SIGTERM');
    const { code, stdout } = await second.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'ERR_INVOKE_CANCELLED' } });
    expect((await place.run(['resume', 'h'], { env: { RELEASED: '1' } })).code).toBe(0);
  });

  it('CL-11 does not wait for work that takes no notice', async () => {
    const running = place.start(['run', 'app', '--workflow', 'deafens', '--run-id', 'd']);
    await running.said('hanging');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    // Its claim was not given back; that of a process that is gone lapses at once.
    expect((await place.run(['cancel', 'd'])).code).toBe(0);
  });

  it('CL-11 ends at once on a second signal', async () => {
    const running = place.start(['run', 'app', '--workflow', 'deafens', '--run-id', 'd']);
    await running.said('hanging');
    running.kill('SIGINT');
    await running.said('Stopping');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });
});
