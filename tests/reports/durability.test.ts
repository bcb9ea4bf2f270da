import { describe, expect, it } from 'vitest';
import { claimed, codeOf, fileOf, open } from '../unit/journal-sqlite/fixture.ts';

const LEASE_MS = 60_000;
const ask = (path: string, more: object = {}) => ({ path, resource: 'ask', token: `token-${path}`, ...more });

describe('two at once', () => {
  it('reports vercel/workflow#2039 dbos-py#544 of two that resume a run at once, a thousand times, one performs', async () => {
    const one = await open();
    const other = await open(fileOf(one));
    let performed = 0;
    const resume = async (journal: typeof one, run: string, holder: string): Promise<boolean> => {
      if (!(await journal.claimRun(run, holder, LEASE_MS))) return false;
      performed += 1;
      await journal.append(run, { path: 'steps/once', kind: 'step', value: holder });
      return true;
    };
    for (let n = 0; n < 1_000; n += 1) {
      const run = `r${n}`;
      await one.admitRun(run);
      const pair = [resume(one, run, 'one'), resume(other, run, 'other')];
      const took = await Promise.all(n % 2 === 0 ? pair : pair.toReversed());
      expect(took.filter(Boolean)).toHaveLength(1);
    }
    expect(performed).toBe(1_000);
  });

  it('reports vercel/workflow#925 whoever was busy past its claim writes nothing once another has the run', async () => {
    const time = { now: 1_000_000 };
    const now = (): number => time.now;
    const busy = await claimed('r', { now });
    const other = await open(fileOf(busy), { now });
    time.now += 2 * LEASE_MS;
    expect(await other.claimRun('r', 'other', LEASE_MS)).toBe(true);
    expect(await codeOf(() => busy.append('r', { path: 'a', kind: 'step', value: 1 }))).toBe('ERR_DURABLE_CLAIM_LOST');
    expect(await other.append('r', { path: 'a', kind: 'step', value: 2 })).toMatchObject({ value: 2 });
    expect(await other.readEntries('r')).toMatchObject([{ path: 'a', value: 2 }]);
  });

  it('reports dbos-ts#1205 an answer that is pending while two recover the run is seen by whoever gets it', async () => {
    const one = await claimed();
    const other = await open(fileOf(one));
    await one.recordWait('r', ask('w'));
    await one.suspendRun('r');
    expect(await other.answer({ run: 'r' }, 'kept')).toMatchObject({ delivered: true });
    const took = await Promise.all([one.claimRun('r', 'a', LEASE_MS), other.claimRun('r', 'b', LEASE_MS)]);
    expect(took.filter(Boolean)).toHaveLength(1);
    for (const journal of [one, other]) {
      expect(await journal.readEntries('r')).toMatchObject([{ path: 'w', value: 'kept' }]);
    }
  });
});

describe('values', () => {
  it.each<[string, unknown]>([
    ['false', false],
    ['zero', 0],
    ['an empty text', ''],
    ['null', null],
    ['an empty list', []],
    ['an empty map', {}],
    ['a fraction', -1.5],
    ['a large int', 9_007_199_254_740_993n],
    ['a map that looks like an int', { $bigint: '5' }],
  ])('reports langgraphjs#1154 langgraph#7066 %s is answered, and is read again, as it is', async (_name, value) => {
    const journal = await claimed();
    expect((await journal.append('r', { path: 'a', kind: 'step', value })).value).toEqual(value);
    expect((await (await open(fileOf(journal))).readEntries('r'))[0]?.value).toEqual(value);
  });
});

describe('answers', () => {
  it('reports activepieces#14777 kestra#18507 of a hundred answers to one wait exactly one counts', async () => {
    const one = await claimed();
    const other = await open(fileOf(one));
    await one.recordWait('r', ask('w'));
    await one.suspendRun('r');
    const receipts = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? one : other).answer({ token: 'token-w' }, n)),
    );
    expect(receipts.filter(({ delivered }) => delivered)).toHaveLength(1);
    const refused = receipts.flatMap((receipt) => (receipt.delivered ? [] : [receipt.reason]));
    expect(new Set(refused)).toEqual(new Set(['already-answered']));
    expect(await one.readEntries('r')).toHaveLength(1);
  });

  it('reports n8n#37853 langgraph#6663 the token of a wait that is over answers no later one', async () => {
    const journal = await claimed();
    await journal.recordWait('r', ask('first'));
    expect(await journal.answer({ token: 'token-first' }, 1)).toMatchObject({ delivered: true, path: 'first' });
    await journal.recordWait('r', ask('second'));
    expect(await journal.answer({ token: 'token-first' }, 2)).toMatchObject({ reason: 'already-answered' });
    expect(await journal.readEntries('r')).toMatchObject([{ path: 'first', value: 1 }]);
    expect(await journal.answer({ token: 'token-second' }, 3)).toMatchObject({ delivered: true, path: 'second' });
  });

  it('reports windmill#2639 ten waits side by side are each needed, in any order', async () => {
    const journal = await claimed();
    const paths = Array.from({ length: 10 }, (_, n) => `steps/each/iterate[${n}]`);
    for (const path of paths) await journal.recordWait('r', ask(path));
    await journal.suspendRun('r');
    for (const [index, path] of paths.toReversed().entries()) {
      expect((await journal.readWaits('r')).filter(({ state }) => state === 'open')).toHaveLength(10 - index);
      expect(await journal.answer({ run: 'r', path }, index)).toMatchObject({ delivered: true, path });
    }
    expect(await journal.answer({ run: 'r' }, 'late')).toMatchObject({ delivered: false });
  });
});
