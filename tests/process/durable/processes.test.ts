import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const CHILD = join(import.meta.dirname, 'app', 'child.mjs');

interface Ended {
  readonly signal: string | undefined;
  readonly answer: unknown;
}

describe('a durable run over several processes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'processes-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const child = (args: readonly string[], faults: Readonly<Record<string, string>> = {}): Promise<Ended> => {
    const env = {
      ...process.env,
      TELO_XMD_JOURNAL: join(folder, 'runs.db'),
      EFFECTS_LOG: join(folder, 'log'),
      ...faults,
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [CHILD, ...args], { env, timeout: 30_000, cwd: folder }, (error, stdout) => {
        const answer: unknown = stdout === '' ? undefined : JSON.parse(stdout);
        resolve({ signal: error?.signal ?? undefined, answer });
      });
    });
  };
  const log = (): readonly string[] => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');

  it('S1 performs every effect once over start, answer and resume in three processes', async () => {
    expect((await child(['start', 'counted', 'r'])).answer).toMatchObject({
      status: 'parked',
      waits: [{ path: 'steps/approve' }],
    });
    expect((await child(['answer', 'counted', 'r', '{"approved":true}'])).answer).toMatchObject({ delivered: true });
    expect((await child(['execute', 'counted', 'r'])).answer).toMatchObject({ status: 'completed' });

    expect(log()).toEqual(['first 0', 'last 0']);
    expect((await child(['entries', 'counted', 'r'])).answer).toEqual([
      'inputs',
      'steps/first',
      'steps/approve/inputs',
      'steps/approve/token',
      'steps/approve',
      'steps/last/when',
      'steps/last',
    ]);
  });

  it('S1 performs an effect again when the process died before its record, and none before it', async () => {
    expect((await child(['start', 'slept', 'r'], { EFFECTS_KILL: 'first' })).signal).toBe('SIGKILL');
    expect((await child(['execute', 'slept', 'r'])).answer).toMatchObject({ run: 'r' });

    expect(log().filter((line) => line === 'first 0')).toHaveLength(2);
  });

  it('S8 counts the attempts of a retry over all processes', async () => {
    const rounds = [await child(['start', 'retried', 'r'])];
    expect(rounds[0]?.answer).toMatchObject({ status: 'failed', error: { code: 'ERR_TEST_EFFECT' } });

    expect(log()).toEqual(['broken 0', 'broken 1', 'broken 2']);
  });

  it('S8 performs no recorded attempt again when the process dies in a later one', async () => {
    expect((await child(['start', 'retried', 'r'], { EFFECTS_KILL_ATTEMPT: '1' })).signal).toBe('SIGKILL');
    expect((await child(['execute', 'retried', 'r'], { EFFECTS_KILL_ATTEMPT: '2' })).signal).toBe('SIGKILL');
    expect((await child(['execute', 'retried', 'r'])).answer).toMatchObject({ status: 'failed' });

    expect(log()).toEqual(['broken 0', 'broken 1', 'broken 1', 'broken 2', 'broken 2']);
  });

  it('S4 goes on in the catch branch that a dead process had begun, although its cause is repaired', async () => {
    expect((await child(['start', 'repaired', 'r'], { EFFECTS_KILL: 'repair' })).signal).toBe('SIGKILL');
    const { answer } = await child(['execute', 'repaired', 'r'], { EFFECTS_REPAIRED: '1' });

    expect(answer).toMatchObject({ status: 'completed', result: { steps: { told: { result: 'ERR_TEST_EFFECT' } } } });
    expect(log()).toEqual(['first 0', 'broken 0', 'repair 0', 'repair 0', 'last 0']);
  });

  it('S9 wakes a sleeping run through a Resumer that keeps its process alive', async () => {
    await child(['start', 'slept', 'r']);
    expect((await child(['resumer', 'slept', 'r'])).answer).toMatchObject({ status: 'completed' });

    expect(log()).toEqual(['first 0', 'last 0']);
  });

  it('DK-64 S9 a run that one process schedules is executed once by the Resumer of another, killed in between or not', async () => {
    expect((await child(['schedule', 'slept', 'r'])).answer).toMatchObject({ runId: 'r', scheduled: true });
    expect((await child(['schedule', 'slept', 'r'])).answer).toMatchObject({ scheduled: false, status: 'scheduled' });
    expect((await child(['resumer', 'slept', 'r'], { EFFECTS_KILL: 'last' })).signal).toBe('SIGKILL');
    expect((await child(['resumer', 'slept', 'r'])).answer).toMatchObject({ status: 'completed' });

    expect(log()).toEqual(['first 0', 'last 0', 'last 0']);
  });

  it('S4 executes once when two processes resume a run at once', async () => {
    await child(['start', 'counted', 'r']);
    await child(['answer', 'counted', 'r', '{"approved":true}']);
    const ended = await Promise.all([child(['execute', 'counted', 'r']), child(['execute', 'counted', 'r'])]);

    for (const { answer } of ended) expect(JSON.stringify(answer)).toMatch(/completed|ERR_DURABLE_RUN_BUSY/);
    expect((await child(['execute', 'counted', 'r'])).answer).toMatchObject({ status: 'completed' });
    expect(log()).toEqual(['first 0', 'last 0']);
  });
});
