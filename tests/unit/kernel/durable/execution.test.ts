import { createCancellationSource, InvokeError, isSuspension, parkRun, SUSPENDING_BACKOFF_MS } from '@telorun/sdk';
import type { DurableRunHandle } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { executeBody, handleOf, keys } from './bench.ts';
import type { Body } from './bench.ts';
import { journals } from './journals.ts';
import type { Place } from './journals.ts';

const T = { kind: 'Test.Read', name: 'read' };

/** A step that waits for an answer, as Durable.Await does. */
function ask(handle: DurableRunHandle, path: string, until = {}): Promise<unknown> {
  return handle.step(path, T, {}, () =>
    parkRun(handle, { path, resource: 'Durable.Await/ask' }, { token: path, ...until }),
  );
}

async function bothThenThrow(branches: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(branches);
  return settled.map((branch) => {
    if (branch.status === 'rejected') throw branch.reason;
    return branch.value;
  });
}

describe.each(journals)('one execution over a $name journal', ({ open }) => {
  let place: Place;
  let journal: FencedJournal;
  beforeEach(async () => {
    place = open();
    journal = await place.connect();
  });
  afterEach(() => place.dispose());

  it('S1 DK-01 pins the inputs first, records the effects and settles the run', async () => {
    const { settlement, events } = await executeBody(journal, async (context, inputs) => ({
      steps: { a: { result: await handleOf(context).step('steps/a', T, {}, async () => inputs) } },
    }));

    expect(settlement).toMatchObject({ status: 'completed', result: { steps: { a: { result: { version: 1 } } } } });
    expect(await keys(journal)).toEqual(['inputs', 'steps/a']);
    expect(await journal.readRun('run-1')).toMatchObject({ status: 'completed', claimed: false });
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'entry.recorded',
      'effect.begun',
      'entry.recorded',
      'run.stopped',
    ]);
  });

  it('S3 parks: status and claim change when the body has unwound, and nothing is settled', async () => {
    const { settlement } = await executeBody(journal, (context) => ask(handleOf(context), 'steps/ask'));

    expect(settlement).toMatchObject({ status: 'parked', waits: [{ path: 'steps/ask', token: 'steps/ask' }] });
    expect(await journal.readRun('run-1')).toMatchObject({ status: 'parked', claimed: false });
  });

  it('S3 settles nothing when a suspension is swallowed', async () => {
    const swallow: Body = async (context) => {
      await ask(handleOf(context), 'steps/ask').catch(() => 'swallowed');
      return {};
    };
    const { settlement } = await executeBody(journal, swallow);

    expect(settlement).toMatchObject({ status: 'running', problem: { code: 'ERR_DURABLE_SUSPENSION_SWALLOWED' } });
    expect(await journal.readRun('run-1')).toMatchObject({ status: 'running', claimed: false });
  });

  it('S3 settles nothing when a suspension comes out as the cause of another error', async () => {
    const wrap: Body = async (context) => {
      try {
        return await ask(handleOf(context), 'steps/ask');
      } catch (cause) {
        throw new InvokeError('ERR_TEST', 'wrapped', {}, { cause });
      }
    };
    const { settlement } = await executeBody(journal, wrap);

    expect(settlement).toMatchObject({ status: 'running', problem: { code: 'ERR_DURABLE_SUSPENSION_SWALLOWED' } });
  });

  it('S3 settles nothing for a suspension that was never recorded', async () => {
    const { settlement } = await executeBody(journal, async () => {
      throw Object.assign(new Error('forged'), { code: 'ERR_DURABLE_SUSPENDED' });
    });

    expect(settlement).toMatchObject({ status: 'running', problem: { code: 'ERR_DURABLE_SUSPENSION_UNRECORDED' } });
  });

  it.each([{ error: 'no' }, { outcome: 'failed' }, { code: 'ERR_DURABLE_SUSPENDED' }, null, false])(
    'S9 takes the answer %j as a value',
    async (payload) => {
      const body: Body = (context) => ask(handleOf(context), 'steps/ask');
      await executeBody(journal, body);
      await (await place.connect()).answer({ token: 'steps/ask' }, payload);
      const { settlement } = await executeBody(journal, body);

      expect(settlement).toMatchObject({ status: 'completed', result: payload });
    },
  );

  it.each([{ order: ['steps/a', 'steps/b'] }, { order: ['steps/b', 'steps/a'] }])(
    'S9 takes the answers of two waits open at once in the order $order',
    async ({ order }) => {
      let siblings = 0;
      const body: Body = (context) => {
        const handle = handleOf(context);
        return bothThenThrow([
          ask(handle, 'steps/a'),
          ask(handle, 'steps/b'),
          handle.step('steps/c', T, {}, async () => (siblings += 1)),
        ]);
      };
      const { settlement } = await executeBody(journal, body);
      expect(settlement.waits).toHaveLength(2);
      const [first = '', second = ''] = order;
      const other = await place.connect();

      expect(await other.answer({ token: first }, `for ${first}`)).toMatchObject({ delivered: true });
      expect((await executeBody(journal, body)).settlement).toMatchObject({
        status: 'parked',
        waits: [{ path: second }],
      });
      expect(await other.answer({ token: first }, 'twice')).toMatchObject({ delivered: false });
      expect(await other.answer({ run: 'run-1' }, `for ${second}`)).toMatchObject({ delivered: true });

      const { settlement: done } = await executeBody(journal, body);
      expect(done).toMatchObject({ status: 'completed', result: ['for steps/a', 'for steps/b', 1] });
      expect(siblings).toBe(1);
    },
  );

  it('S9 DK-07 executes again at once when an answer came while the body was still executing', async () => {
    const other = await place.connect();
    let passes = 0;
    const { settlement, events } = await executeBody(journal, (context) => {
      const handle = handleOf(context);
      passes += 1;
      return bothThenThrow([
        ask(handle, 'steps/a'),
        handle.step('steps/slow', T, {}, async () => {
          await vi.waitFor(async () =>
            expect(await other.answer({ token: 'steps/a' }, 'early')).toMatchObject({ delivered: true }),
          );
          return 'slow';
        }),
      ]);
    });

    expect(settlement).toMatchObject({ status: 'completed', result: ['early', 'slow'] });
    expect(passes).toBe(2);
    expect(events.filter(({ type }) => type === 'run.stopped')).toHaveLength(1);
  });

  it('S9 lets the siblings of a parked branch finish first, and does not repeat them', async () => {
    let performed = 0;
    const body: Body = (context) => {
      const handle = handleOf(context);
      return bothThenThrow([ask(handle, 'steps/a'), handle.step('steps/b', T, {}, async () => (performed += 1))]);
    };
    await executeBody(journal, body);
    expect(await keys(journal)).toEqual(['inputs', 'steps/b']);
    await (await place.connect()).answer({ token: 'steps/a' }, 'yes');

    expect((await executeBody(journal, body)).settlement.result).toEqual(['yes', 1]);
    expect(performed).toBe(1);
  });

  it('S9 gives up on a body that parks where nobody reads the answer', async () => {
    const body: Body = (context) => parkRun(handleOf(context), { path: 'steps/a', resource: 'x' }, { token: 't' });
    await executeBody(journal, body);
    await (await place.connect()).answer({ token: 't' }, 'unread');
    const { settlement } = await executeBody(journal, body);

    expect(settlement).toMatchObject({ status: 'running', problem: { code: 'ERR_DURABLE_ANSWER_UNREAD' } });
    expect(await journal.readRun('run-1')).toMatchObject({ claimed: false });
  });

  it('S4 DK-05 runs no catch branch for a lost claim, and settles nothing', async () => {
    const other = await place.connect();
    let caught = 0;
    let after = 0;
    const { settlement } = await executeBody(journal, async (context) => {
      const handle = handleOf(context);
      try {
        await handle.step('steps/a', T, {}, async () => (await other.cancelRun('run-1', 'enough'), 1));
      } catch (error) {
        if (isSuspension(error)) throw error;
        caught += 1;
        await handle.step('steps/catch', T, {}, async () => (after += 1));
      }
      return {};
    });

    expect({ caught, after }).toEqual({ caught: 1, after: 0 });
    expect(settlement).toMatchObject({ status: 'cancelled', problem: { code: 'ERR_DURABLE_CLAIM_LOST' } });
    expect(await keys(journal)).toEqual(['inputs']);
  });

  it('S4 leaves the run alone when the body returns although its claim is lost', async () => {
    const other = await place.connect();
    const { settlement } = await executeBody(journal, async (context) => {
      await handleOf(context)
        .step('steps/a', T, {}, async () => other.cancelRun('run-1'))
        .catch(() => undefined);
      return {};
    });

    expect(settlement).toMatchObject({ status: 'cancelled', problem: { code: 'ERR_DURABLE_CLAIM_LOST' } });
    expect(await journal.readRun('run-1')).not.toHaveProperty('result');
  });

  it('S4 DK-06 leaves a cancelled body resumable and gives its claim back', async () => {
    const source = createCancellationSource();
    let performed = 0;
    const body: Body = async (context) => {
      await handleOf(context).step('steps/a', T, {}, async () => (performed += 1));
      source.cancel('interrupted');
      return handleOf(context).step('steps/b', T, {}, async () => (performed += 1));
    };
    const { settlement } = await executeBody(journal, body, { source });
    expect(settlement).toEqual({ run: 'run-1', status: 'running' });
    expect(await journal.readRun('run-1')).toMatchObject({ status: 'running', claimed: false });

    const again = await executeBody(await place.connect(), (context) =>
      handleOf(context).step('steps/a', T, {}, async () => (performed += 1)),
    );
    expect(again.settlement.status).toBe('completed');
    expect(performed).toBe(1);
  });

  it('S4 takes an error of an interrupted effect for no failure of the run; uninterrupted it is one', async () => {
    const source = createCancellationSource();
    const interrupted = await executeBody(
      journal,
      () => {
        source.cancel('interrupted');
        throw new InvokeError('ERR_TEST', 'aborted');
      },
      { source },
    );
    expect(interrupted.settlement.status).toBe('running');

    const { settlement } = await executeBody(journal, () => {
      throw new InvokeError('ERR_TEST', 'aborted', { step: 'x' });
    });
    expect(settlement).toMatchObject({
      status: 'failed',
      error: { code: 'ERR_TEST', message: 'aborted', data: { step: 'x' } },
    });
    expect(await journal.readRun('run-1')).toMatchObject({ status: 'failed', error: { code: 'ERR_TEST' } });
  });

  it('S4 fails a run with INTERNAL_ERROR for an error without a code', async () => {
    const { settlement } = await executeBody(journal, () => Promise.reject(new Error('boom')));

    expect(settlement).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR', message: 'boom' } });
  });

  it('R5 keeps a run resumable for a refusal that says so, and completes it once the cause is gone', async () => {
    const { settlement } = await executeBody(journal, () => {
      throw new InvokeError('ERR_XMD_POLICY_CHANGED', 'changed', { resumable: true });
    });
    expect(settlement).toMatchObject({ status: 'running', problem: { code: 'ERR_XMD_POLICY_CHANGED' } });
    expect(await journal.readRun('run-1')).toMatchObject({
      status: 'running',
      problem: { code: 'ERR_XMD_POLICY_CHANGED' },
      claimed: false,
    });

    expect((await executeBody(journal, async () => ({ ok: true }))).settlement.status).toBe('completed');
  });

  it('S6 DK-17 fails a run whose result does not survive the journal', async () => {
    const { settlement } = await executeBody(journal, async () => ({ steps: { a: { result: () => 1 } } }));

    expect(settlement).toMatchObject({ status: 'failed', error: { code: 'ERR_DURABLE_UNJOURNALABLE_VALUE' } });
  });

  it('S5 counts each collapsed region once, with its reason', async () => {
    const { settlement, events } = await executeBody(journal, async (context) => {
      const note = {
        zone: 'Durable.Idempotent',
        attribute: 'idempotent',
        mode: 'collapsed',
        reason: 'harmless',
      } as const;
      handleOf(context).noteZoneMode?.(note);
      handleOf(context).noteZoneMode?.(note);
      return {};
    });

    expect(settlement.status).toBe('completed');
    expect(await journal.readRun('run-1')).toMatchObject({ collapsedRegions: 1, collapseReasons: ['harmless'] });
    expect(events.filter(({ type }) => type === 'zone.mode')).toHaveLength(1);
  });

  it('S8 DK-23 suspends until a far instant without a timer that fires at once', async () => {
    const at = Date.now() + 400 * 86_400_000;
    const { settlement } = await executeBody(journal, (context) => ask(handleOf(context), 'steps/a', { at }));

    expect(at - Date.now()).toBeGreaterThan(SUSPENDING_BACKOFF_MS);
    expect(settlement).toMatchObject({ status: 'parked', waits: [{ at }] });
    expect(await journal.dueRuns(Date.now(), 10)).toEqual([]);
    expect(await journal.dueRuns(at, 10)).toEqual(['run-1']);
  });
});

describe('renewing a claim', () => {
  afterEach(() => vi.useRealTimers());

  it.each(journals)(
    'S4 stops a body at its next effect when the renewal finds the claim gone ($name)',
    async ({ open }) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      const place = open();
      const journal = await place.connect();
      const other = await place.connect();
      let performed = 0;
      const { settlement } = await executeBody(journal, async (context) => {
        await other.cancelRun('run-1');
        const stopped = new Promise((resolve) => context.cancellation.onCancelled(resolve));
        vi.advanceTimersByTime(20_000);
        await stopped;
        return handleOf(context).step('steps/a', T, {}, async () => (performed += 1));
      });

      expect(performed).toBe(0);
      expect(settlement).toMatchObject({ status: 'cancelled', problem: { code: 'ERR_DURABLE_CLAIM_LOST' } });
      place.dispose();
    },
  );

  it.each(journals)('S4 DK-03 keeps a claim alive past its time to live ($name)', async ({ open }) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let now = 1_000_000;
    const place = open(() => now);
    const journal = await place.connect();
    const other = await place.connect();
    const { settlement } = await executeBody(journal, async (context) => {
      for (let minute = 0; minute < 6; minute += 1) {
        now += 20_000;
        await vi.advanceTimersByTimeAsync(20_000);
      }
      expect(await other.claimRun('run-1', 'thief', 60_000)).toBe(false);
      return handleOf(context).step('steps/a', T, {}, async () => 'ours');
    });

    expect(settlement).toMatchObject({ status: 'completed', result: 'ours' });
    place.dispose();
  });
});
