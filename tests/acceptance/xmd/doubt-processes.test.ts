import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sandbox } from '../../support/processes/sandbox.ts';

const PAY = 'steps/apply/xmd[0]/Pay';
const KEY = createHash('sha256').update(`r#${PAY}`).digest('hex');
const SUSPENDED = 2;

/** A workflow that evaluates one fragment: it pays, then writes a file. */
const application = (inDoubt: string): string => `
kind: Counted.Operation
metadata: { name: till }
---
kind: Xmd.Profile
metadata: { name: profile }
root: ./workspace
grants: [read, write]
operations:
  - name: Pay
    form: self-closing
    grant: write
    revision: '1'
    invoke: !ref till
    inputs: { amount: !cel props.amount, key: !cel effect.key, path: !cel effect.path }
    props: { type: object, properties: { amount: { type: number } }, additionalProperties: false }
    inDoubt: ${inDoubt}
---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref profile
allow: [read, write]
text: 'Paid: <Pay amount={5} /><File path="paid.md">yes</File>'
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
steps:
  - { name: apply, invoke: !ref apply }
`;

describe('a call in doubt over several processes', () => {
  let at: Sandbox;
  beforeEach(() => {
    at = new Sandbox();
  });
  afterEach(() => at.remove());

  const resume = (...args: readonly string[]) => at.command(['resume', 'r', '--json', ...args]);
  const entries = async (): Promise<ReadonlyMap<string, unknown>> => {
    const all = await at.journal((journal) => journal.readEntries('r'));
    return new Map(all.map(({ path, value }) => [path, value]));
  };

  /** Kills the first process between the begin of the call and the record of its result. */
  const lose = async (inDoubt: string): Promise<void> => {
    at.manifest(application(inDoubt));
    const first = await at.command(['run', 'telo.yaml', '--run-id', 'r'], { COUNTED_KILL: 'till' });
    expect(first.signal).toBe('SIGKILL');
    expect([...(await entries()).keys()]).toEqual(['inputs', 'steps/apply/generated_xmd', `${PAY}/begun`]);
    expect(at.calls('till')).toHaveLength(1);
  };

  it('HO-20 retry: the next process calls again under the same key', async () => {
    await lose('retry');
    expect(await resume()).toMatchObject({ code: 0 });

    expect(at.calls('till')).toHaveLength(2);
    expect((await entries()).get(PAY)).toMatchObject({ inputs: { key: KEY, path: PAY } });
    expect((await entries()).get(`${PAY}/begun`)).toMatchObject({ key: KEY });
    expect(at.text('paid.md')).toBe('yes');
  });

  it('HO-20 killed at the very write of the result, by the journal, is the same doubt', async () => {
    at.manifest(application('retry'));
    const twin = new Sandbox(at);
    twin.manifest(application('retry'));
    await twin.command(['run', 'telo.yaml', '--run-id', 'r']);
    const writes = twin.log().filter(({ kind }) => kind === 'journal');
    const write = writes.findIndex((line) => line.kind === 'journal' && line.path === PAY) + 1;
    twin.remove();
    const first = await at.command(['run', 'telo.yaml', '--run-id', 'r'], { FAULTS_KILL_AT: String(write) });
    expect(first.signal).toBe('SIGKILL');
    expect([...(await entries()).keys()].at(-1)).toBe(`${PAY}/begun`);

    expect(await resume()).toMatchObject({ code: 0 });
    expect(at.calls('till')).toHaveLength(2);
  });

  it('HO-22 ask: parks with a token, and an answer decides', async () => {
    await lose('ask');
    expect(await resume()).toMatchObject({ code: SUSPENDED });
    expect(await resume()).toMatchObject({ code: SUSPENDED });
    expect(at.calls('till')).toHaveLength(1);
    const [wait] = await at.waits('r');
    expect(wait).toMatchObject({ path: `${PAY}/doubt`, resource: 'Doubt/Counted.Operation/till', state: 'open' });

    const wrong = await at.command(['answer', 'r', '{"decision":"maybe"}']);
    expect(wrong.code).not.toBe(0);
    const token = wait?.token ?? '';
    const answered = await at.command(['answer', token, '{"decision":"done","value":{"receipt":7}}', '--resume']);
    expect(answered.code).toBe(0);
    expect((await entries()).get(PAY)).toEqual({ receipt: 7 });
    expect(at.calls('till')).toHaveLength(1);
    expect(at.text('paid.md')).toBe('yes');
  });

  it.each([
    ['retry', 2, 0],
    ['fail', 1, 1],
  ])('HO-22 ask, answered %s: %i calls in all', async (decision, calls, code) => {
    await lose('ask');
    await resume();
    expect((await at.command(['answer', 'r', JSON.stringify({ decision }), '--resume'])).code).toBe(code);

    expect(at.calls('till')).toHaveLength(calls);
    expect(at.text('paid.md')).toBe(code === 0 ? 'yes' : undefined);
    expect(await at.record('r')).toMatchObject(
      code === 0 ? { status: 'completed' } : { status: 'failed', error: { code: 'ERR_XMD_IN_DOUBT' } },
    );
  });

  it.each([
    [['--doubt', 'done', '--value', '{"receipt":7}'], 1, 0],
    [['--doubt', 'retry'], 2, 0],
    [['--doubt', 'fail'], 1, 1],
  ])('HO-21 HO-30 refuse: parks without a token until an operator decides %j', async (decision, calls, code) => {
    await lose('refuse');
    expect(await resume()).toMatchObject({ code: SUSPENDED });
    expect(await resume()).toMatchObject({ code: SUSPENDED });
    const [wait] = await at.waits('r');
    expect(wait).toMatchObject({ path: `${PAY}/doubt`, state: 'open' });
    expect(wait?.token).toBeUndefined();
    expect(at.calls('till')).toHaveLength(1);
    const shown = await at.command(['show', 'r']);
    expect(shown.stdout).toContain('Doubt/Counted.Operation/till');
    expect(shown.stdout).toContain('may have happened');
    expect(shown.stdout).toContain('--doubt');

    expect(await resume(...decision)).toMatchObject({ code });
    expect(at.calls('till')).toHaveLength(calls);
    const recorded = await entries();
    expect(recorded.get(`${PAY}/doubt`)).toMatchObject({ decision: decision[1] });
    expect(recorded.get(PAY)).toEqual(
      decision[1] === 'done' ? { receipt: 7 } : calls === 2 ? expect.objectContaining({ name: 'till' }) : undefined,
    );
  });

  it('HO-30 --doubt is refused where there is no doubt, and for another word, and changes nothing', async () => {
    await lose('refuse');
    expect((await resume('--doubt', 'done')).code).toBe(66);
    await resume();
    const before = (await entries()).size;
    for (const args of [
      ['--doubt', 'shrug'],
      ['--doubt', 'retry', '--value', '1'],
      ['--value', '1'],
    ]) {
      expect((await resume(...args)).code).toBe(64);
    }
    expect((await resume('--doubt', 'done', '--value', '{')).code).toBe(65);

    expect((await entries()).size).toBe(before);
    expect(at.calls('till')).toHaveLength(1);
    expect((await resume('--doubt', 'done')).code).toBe(0);
    expect((await entries()).get(PAY)).toBeNull();
  });
});
