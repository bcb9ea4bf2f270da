import { describe, expect, it } from 'vitest';
import { claimed, codeOf, fileOf, open } from './fixture.ts';

const ask = (path: string, more: object = {}) => ({ path, resource: 'ask', token: `token-${path}`, ...more });
const step = (path: string, value?: unknown) => ({ path, kind: 'step' as const, value });

describe('answers', () => {
  it('J-34 S9 two open waits are answered in either order, also while the run executes', async () => {
    for (const order of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const journal = await claimed();
      const other = await open(fileOf(journal));
      await journal.recordWait('r', ask('a'));
      await journal.recordWait('r', ask('b'));
      for (const path of order) {
        expect(await other.answer({ run: 'r', path }, path)).toEqual({ delivered: true, run: 'r', path });
      }
      expect(await journal.append('r', step('meanwhile'))).toMatchObject({ path: 'meanwhile' });
      expect((await journal.readEntries('r')).map(({ path }) => path)).toEqual([...order, 'meanwhile']);
    }
  });

  it('J-34 an answer to a parked run makes it due, and executes nothing', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('w'));
    await journal.suspendRun('r');
    expect(await journal.answer({ run: 'r' }, { ok: false })).toEqual({ delivered: true, run: 'r', path: 'w' });
    expect(await journal.readRun('r')).toMatchObject({ status: 'running', claimed: false });
    expect(await journal.readEntries('r')).toEqual([step('w', { ok: false })]);
  });

  it('J-34 the same answer twice counts once, and the other is told', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('w'));
    await journal.answer({ token: 'token-w' }, 1);
    for (const selector of [{ token: 'token-w' }, { run: 'r' }, { run: 'r', path: 'w' }]) {
      expect(await journal.answer(selector, 1)).toMatchObject({
        delivered: false,
        reason: 'already-answered',
        run: 'r',
      });
    }
    expect(await journal.readEntries('r')).toEqual([step('w', 1)]);
  });

  it('J-34 whoever names no wait is told why nothing was delivered', async () => {
    const journal = await claimed();
    expect(await journal.answer({ run: 'q' }, 1)).toEqual({ delivered: false, reason: 'unknown-run', run: 'q' });
    expect(await journal.answer({ token: 'q' }, 1)).toEqual({ delivered: false, reason: 'unknown-token' });
    expect(await journal.answer({ run: 'r' }, 1)).toMatchObject({ reason: 'no-open-wait', status: 'running' });
    expect(await journal.answer({ run: 'r', path: 'w' }, 1)).toMatchObject({ reason: 'no-open-wait' });
    await journal.recordWait('r', ask('a'));
    await journal.recordWait('r', ask('b'));
    const several = await journal.answer({ run: 'r' }, 1);
    expect(several).toMatchObject({ reason: 'several-open-waits', waits: [{ path: 'a' }, { path: 'b' }] });
    await journal.answer({ run: 'r', path: 'a' }, 1);
    expect(await journal.answer({ run: 'r' }, 2)).toMatchObject({ delivered: true, path: 'b' });
  });

  it('J-34 a settled run takes no answer; a wait that was answered before says so', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('a'));
    await journal.recordWait('r', ask('b'));
    await journal.answer({ token: 'token-a' }, 1);
    await journal.completeRun('r', { status: 'failed', error: { code: 'E', message: 'm' } });
    expect(await journal.answer({ run: 'r' }, 1)).toMatchObject({ reason: 'terminal', status: 'failed' });
    expect(await journal.answer({ token: 'token-b' }, 1)).toMatchObject({ reason: 'terminal' });
    expect(await journal.answer({ token: 'token-a' }, 1)).toMatchObject({ reason: 'already-answered' });
  });

  it('J-34 a token counts whole: one that differs in case, length or bytes is another', async () => {
    const journal = await claimed();
    await journal.parkRun('r', ask('w', { token: 'Ab-é' }));
    for (const token of ['ab-é', 'Ab-é ', 'Ab-', 'Ab-e\u0301', '%', 'Ab_é']) {
      expect(await journal.answer({ token }, 1)).toMatchObject({ reason: 'unknown-token' });
      expect(await journal.runParkedOn(token)).toBeUndefined();
    }
    expect(await journal.runParkedOn('Ab-é')).toBe('r');
    expect(await journal.answer({ token: 'Ab-é' }, 1)).toMatchObject({ delivered: true });
  });

  it('J-34 of two waits in turn under one token, the later one is answered', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('one', { token: 't' }));
    await journal.answer({ token: 't' }, 1);
    expect(await journal.answer({ token: 't' }, 2)).toMatchObject({ reason: 'already-answered' });
    await journal.recordWait('r', ask('two', { token: 't' }));
    expect(await journal.answer({ token: 't' }, 2)).toMatchObject({ delivered: true, path: 'two' });
  });

  it('J-35 a schema that the answer does not satisfy refuses it, and leaves the wait open', async () => {
    const journal = await claimed();
    const schema = { type: 'boolean' };
    await journal.recordWait('r', ask('w', { schema }));
    const validate = (against: unknown, payload: unknown) => {
      expect(against).toEqual(schema);
      return typeof payload === 'boolean' ? [] : ['must be boolean'];
    };
    expect(await journal.answer({ run: 'r' }, 'yes', validate)).toEqual({
      delivered: false,
      reason: 'schema',
      run: 'r',
      problems: ['must be boolean'],
    });
    expect(await journal.readEntries('r')).toEqual([]);
    expect(await journal.answer({ run: 'r' }, false, validate)).toMatchObject({ delivered: true });
    expect(await journal.readEntries('r')).toEqual([step('w', false)]);
  });

  it('J-34 a wait for an instant alone is no question; at a decision there is nothing to answer', async () => {
    const journal = await claimed();
    await journal.recordWait('r', { path: 'nap', resource: 'nap', at: Date.now() + 60_000 });
    await journal.append('r', { path: 's/retry[0]', kind: 'decision', decision: 'value', value: 7 });
    expect(await journal.recordWait('r', { path: 's/retry[0]', resource: 's', at: 7 })).toMatchObject({
      state: 'open',
    });
    expect(await journal.answer({ run: 'r' }, 1)).toMatchObject({ reason: 'no-open-wait' });
    expect(await journal.answer({ run: 'r', path: 's/retry[0]' }, 1)).toMatchObject({ reason: 'no-open-wait' });
    expect(await journal.answer({ run: 'r', path: 'nap' }, 'up')).toMatchObject({ delivered: true });
  });

  it('J-34 an answer that JSON cannot write changes nothing', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('w'));
    expect(await codeOf(() => journal.answer({ token: 'token-w' }, () => 1))).toBe('ERR_DURABLE_UNJOURNALABLE_VALUE');
    expect(await journal.readWaits('r')).toMatchObject([{ state: 'open' }]);
  });
});
