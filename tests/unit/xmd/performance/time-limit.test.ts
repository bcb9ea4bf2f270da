import { createCancellationSource, InvokeError } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import { withinTimeLimit } from '../../../../controllers/xmd/performance/time-limit.ts';

const EXPIRED = new InvokeError('ERR_XMD_EFFECT', 'late');

function limit(parent = createCancellationSource().token, limitMs = 5) {
  return { limitMs, parent, expired: () => EXPIRED };
}

/** Work that throws `error` once it is cancelled for being late. */
function late(error: Error): Promise<unknown> {
  return withinTimeLimit((token) => new Promise((_resolve, reject) => token.onCancelled(() => reject(error))), limit());
}

describe('withinTimeLimit', () => {
  it('EV-35 answers what the work answers, and what it throws in time', async () => {
    await expect(withinTimeLimit(async () => 1, limit(undefined, 60_000))).resolves.toBe(1);
    const own = new Error('own');
    await expect(withinTimeLimit(() => Promise.reject(own), limit(undefined, 60_000))).rejects.toBe(own);
  });

  it('EV-35 takes an answer that comes while late work tears down', async () => {
    const work = withinTimeLimit(
      (token) => new Promise((resolve) => token.onCancelled(() => resolve('just'))),
      limit(),
    );
    await expect(work).resolves.toBe('just');
  });

  it.each(['ERR_DURABLE_SUSPENDED', 'ERR_DURABLE_CLAIM_LOST', 'ERR_DURABLE_JOURNAL_FULL'])(
    'EV-35 lets %s of late work pass, and turns any other error of it into the limit',
    async (code) => {
      const signal = Object.assign(new Error('signal'), { code });
      await expect(late(signal)).rejects.toBe(signal);
      await expect(late(new Error('other'))).rejects.toBe(EXPIRED);
    },
  );

  it('EV-35 cancels the work with its parent, for the reason of the parent', async () => {
    const source = createCancellationSource();
    const work = withinTimeLimit(
      (token) => new Promise((resolve) => token.onCancelled((reason) => resolve(reason))),
      limit(source.token, 60_000),
    );
    source.cancel('interrupted');
    await expect(work).resolves.toBe('interrupted');
  });
});
