import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { untilStopped } from '../../support/processes/command.ts';
import type { Ended } from '../../support/processes/command.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';

const RUN = 'asked';
const ASK = 'steps/ask';
const GUARDED = 'steps/ask/try/first';
/** Number of the write that records the wait, and of the one that suspends the run, in its first process. */
const WAIT = '6';
const SUSPENSION = '7';

const MANIFEST = `
kind: Counted.Operation
metadata: { name: later }
---
kind: Durable.Await
metadata: { name: question }
timeout: 1m
outputType: { type: object, additionalProperties: false, required: [agreed], properties: { agreed: { type: boolean } } }
---
kind: Durable.Await
metadata: { name: other }
---
kind: DurableLocal.Workflow
metadata: { name: main }
journal: !ref runs
steps:
  - { name: ask, invoke: !ref question }
  - { name: later, invoke: !ref later }
---
kind: DurableLocal.Workflow
metadata: { name: guarded }
journal: !ref runs
steps:
  - name: ask
    try:
      - { name: first, invoke: !ref question }
    catch:
      - { name: late, value: !cel error.code }
      - { name: again, invoke: !ref other }
---
kind: DurableLocal.Workflow
metadata: { name: elsewhere }
journal: !ref runs
steps:
  - { name: ask, invoke: !ref other }
`;

const YES = '{"agreed":true}';
const NO = '{"agreed":false}';

function makeAsking(): Sandbox {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  sandbox.manifest(MANIFEST);
  setClock(sandbox, 0);
  return sandbox;
}

/** All processes of the sandbox see a clock that is ahead by this many minutes. */
function setClock(sandbox: Sandbox, minutes: number): void {
  writeFileSync(join(sandbox.folder, 'clock'), String(minutes * 60_000 + (minutes > 0 ? 1_000 : 0)));
}

function clockOf(sandbox: Sandbox): Readonly<Record<string, string>> {
  return { FAULTS_CLOCK: join(sandbox.folder, 'clock') };
}

const start = (workflow = 'main', run = RUN) => ['run', 'telo.yaml', '--workflow', workflow, '--run-id', run];

const answer = (sandbox: Sandbox, text: string, ...more: string[]) =>
  sandbox.command(['answer', RUN, text, ...more], clockOf(sandbox));

async function park(sandbox: Sandbox, workflow = 'main'): Promise<void> {
  expect(await sandbox.command(start(workflow), clockOf(sandbox))).toMatchObject({ code: 2 });
}

/** A refusal says why, has no stack, and changes nothing. */
async function refused(
  sandbox: Sandbox,
  give: () => Promise<Ended>,
  why: { code: number; says: string },
): Promise<void> {
  const before = await sandbox.recorded(RUN);
  const ended = await give();
  expect(ended).toMatchObject({ code: why.code, signal: null, stdout: '' });
  expect(ended.stderr).toContain(why.says);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(await sandbox.recorded(RUN)).toEqual(before);
}

/** The run goes on with exactly this answer, and what follows the wait is called once. */
async function completes(sandbox: Sandbox, value: unknown): Promise<void> {
  const { status, entries } = await sandbox.recorded(RUN);
  expect(status).toBe('completed');
  expect(entries.filter(({ path }) => path === ASK)).toMatchObject([{ value }]);
  expect(sandbox.calls('later')).toHaveLength(1);
}

describe('an answer', () => {
  it('CL-07 S9 before there is a run, and before there is a wait, is refused; given again later, it counts', async () => {
    const sandbox = makeAsking();
    const early = await answer(sandbox, YES);
    expect(early).toMatchObject({ code: 66 });
    expect(early.stderr).toContain('ERR_DURABLE_JOURNAL_NOT_FOUND');
    const running = sandbox.start(start(), { ...clockOf(sandbox), FAULTS_STOP_AT: WAIT });
    await untilStopped(running);
    await refused(sandbox, () => answer(sandbox, YES), { code: 3, says: 'waits for no answer there now' });
    process.kill(running.pid, 'SIGCONT');
    expect(await running.ended).toMatchObject({ code: 2 });
    expect(await answer(sandbox, YES, '--resume')).toMatchObject({ code: 0 });
    await completes(sandbox, { agreed: true });
  });

  it('CL-07 S9 between the record of the wait and the suspension, counts, and the same process goes on', async () => {
    const sandbox = makeAsking();
    const running = sandbox.start(start(), { ...clockOf(sandbox), FAULTS_STOP_AT: SUSPENSION });
    await untilStopped(running);
    expect(await answer(sandbox, YES)).toMatchObject({ code: 0 });
    process.kill(running.pid, 'SIGCONT');
    expect(await running.ended).toMatchObject({ code: 0 });
    await completes(sandbox, { agreed: true });
  });

  it('CL-07 S9 given twice, or after the run is over, counts once: the first', async () => {
    const sandbox = makeAsking();
    await park(sandbox);
    expect(await answer(sandbox, YES)).toMatchObject({ code: 0 });
    const first = { code: 3, says: 'the first one counts' };
    await refused(sandbox, () => answer(sandbox, NO), first);
    await refused(sandbox, () => answer(sandbox, NO, '--at', ASK), first);
    expect(await sandbox.command(['resume', RUN], clockOf(sandbox))).toMatchObject({ code: 0 });
    await completes(sandbox, { agreed: true });
    await refused(sandbox, () => answer(sandbox, NO), { code: 3, says: 'is completed' });
    await refused(sandbox, () => answer(sandbox, NO, '--at', ASK), first);
  });

  it('CL-07 S9 after the deadline, while nobody has looked, counts', async () => {
    const sandbox = makeAsking();
    await park(sandbox);
    setClock(sandbox, 1);
    expect(await answer(sandbox, YES)).toMatchObject({ code: 0 });
    expect(await sandbox.command(['resume', RUN], clockOf(sandbox))).toMatchObject({ code: 0 });
    await completes(sandbox, { agreed: true });
  });

  it('CL-07 S9 after the deadline, once the wait is closed, is refused', async () => {
    const sandbox = makeAsking();
    await park(sandbox, 'guarded');
    setClock(sandbox, 1);
    expect(await sandbox.command(['resume', RUN], clockOf(sandbox))).toMatchObject({ code: 2 });
    expect((await sandbox.recorded(RUN)).waits).toEqual([`${GUARDED} closed`, 'steps/ask/catch/again open']);
    await refused(sandbox, () => answer(sandbox, YES, '--at', GUARDED), { code: 3, says: 'it timed out' });
    expect(await answer(sandbox, '"late"', '--resume')).toMatchObject({ code: 0 });
    expect((await sandbox.recorded(RUN)).entries).toContainEqual(
      expect.objectContaining({ path: 'steps/ask/catch/late', value: 'ERR_DURABLE_AWAIT_TIMEOUT' }),
    );
  });

  it('CL-07 S9 at the deadline, with the process that closes the wait: one of the two counts, never both', async () => {
    for (const side of ['before', 'after']) {
      const sandbox = makeAsking();
      await park(sandbox, 'guarded');
      setClock(sandbox, 1);
      // Claim, then the closing of the wait.
      const closing = sandbox.start(['resume', RUN], { ...clockOf(sandbox), FAULTS_STOP_AT: '2', FAULTS_SIDE: side });
      await untilStopped(closing);
      const given = await answer(sandbox, YES, '--at', GUARDED);
      process.kill(closing.pid, 'SIGCONT');
      const ended = await closing.ended;
      const paths = await sandbox.paths(RUN);
      const took = { answer: paths.includes(GUARDED), timeout: paths.includes('steps/ask/catch') };
      expect({ side, given: given.code, ended: ended.code, ...took }).toEqual(
        side === 'before'
          ? { side, given: 0, ended: 0, answer: true, timeout: false }
          : { side, given: 3, ended: 2, answer: false, timeout: true },
      );
    }
  });

  it('CL-07 to the wrong run, place or token is refused, and the right one still counts', async () => {
    const sandbox = makeAsking();
    await park(sandbox);
    expect(await sandbox.command(start('elsewhere', 'another'), clockOf(sandbox))).toMatchObject({ code: 2 });
    const unknown = { code: 66, says: 'no run and no token' };
    await refused(sandbox, () => sandbox.command(['answer', 'nobody', YES]), unknown);
    await refused(sandbox, () => answer(sandbox, YES, '--at', 'steps/later'), { code: 3, says: 'waits for no answer' });
    expect(await sandbox.command(['answer', 'another', '"for the other"'])).toMatchObject({ code: 0 });
    const [wait] = await sandbox.waits(RUN);
    expect(wait).toMatchObject({ path: ASK, state: 'open' });
    expect(await sandbox.command(['answer', wait?.token ?? '', YES, '--resume'])).toMatchObject({ code: 0 });
    await completes(sandbox, { agreed: true });
  });

  it('CL-07 of another shape is refused with what is wrong, and the wait stays open', async () => {
    const sandbox = makeAsking();
    await park(sandbox);
    await refused(sandbox, () => answer(sandbox, '{"agreed":"perhaps"}'), {
      code: 65,
      says: '/agreed must be boolean',
    });
    await refused(sandbox, () => answer(sandbox, '{agreed'), { code: 65, says: 'ERR_CLI_INVALID_INPUT' });
    expect((await sandbox.recorded(RUN)).waits).toEqual([`${ASK} open`]);
    expect(await answer(sandbox, YES, '--resume')).toMatchObject({ code: 0 });
    await completes(sandbox, { agreed: true });
  });

  it('CL-07 S9 while another process resumes, before and after that has read the journal, counts', async () => {
    // The resumed process claims, records its wait again and suspends.
    for (const [stopAt, side] of [
      ['1', 'after'],
      ['2', 'before'],
      ['3', 'before'],
    ] as const) {
      const sandbox = makeAsking();
      await park(sandbox);
      // Somebody asks for another look: the run is due, and the next process goes through it to its wait.
      await sandbox.journal((journal) => journal.unparkRun(RUN));
      const resumed = sandbox.start(['resume', RUN], {
        ...clockOf(sandbox),
        FAULTS_STOP_AT: stopAt,
        FAULTS_SIDE: side,
      });
      await untilStopped(resumed);
      expect(await answer(sandbox, YES)).toMatchObject({ code: 0 });
      process.kill(resumed.pid, 'SIGCONT');
      expect({ stopAt, ...(await resumed.ended) }).toMatchObject({ stopAt, code: 0 });
      await completes(sandbox, { agreed: true });
    }
  });

  it('CL-07 S9 given by four at once, exactly one counts', async () => {
    const sandbox = makeAsking();
    await park(sandbox);
    const given = await Promise.all([YES, NO, YES, NO].map((text) => answer(sandbox, text)));
    expect(given.map(({ code }) => code ?? -1).toSorted((one, two) => one - two)).toEqual([0, 3, 3, 3]);
    const winner = given.findIndex(({ code }) => code === 0);
    expect(await sandbox.command(['resume', RUN], clockOf(sandbox))).toMatchObject({ code: 0 });
    await completes(sandbox, { agreed: winner % 2 === 0 });
  });
});
