import { NEVER_CANCELLED } from '@telorun/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JournaledRunHandle } from '../../kernel/durable/run-handle.ts';
import { journals } from '../unit/kernel/durable/journals.ts';

const MANY_MS = 2_000;

describe.each(journals)('a body of many quick steps over a $name journal', ({ open }) => {
  it('S4 CL-11 lets timers in while it runs, so that it can be stopped and its claim renewed', async () => {
    const place = open();
    onTestFinished(() => place.dispose());
    const journal = await place.connect();
    await journal.admitRun('r');
    await journal.claimRun('r', 'me', 60_000);
    const handle = await JournaledRunHandle.open({
      run: 'r',
      journal,
      cancellation: NEVER_CANCELLED,
      emit: () => undefined,
    });
    const timers = { heard: false };
    const timer = setTimeout(() => (timers.heard = true), 1);
    onTestFinished(() => clearTimeout(timer));
    const until = performance.now() + MANY_MS;
    for (let n = 0; !timers.heard && performance.now() < until; n += 1) {
      await handle.step(`steps/a${n}`, undefined, {}, async () => n);
    }
    expect(timers.heard).toBe(true);
    expect((await journal.readEntries('r')).at(-1)).toMatchObject({ value: handle.size - 1 });
  });
});
