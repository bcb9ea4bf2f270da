import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN } from '../../support/processes/plan.ts';
import type { Sandbox } from '../../support/processes/sandbox.ts';

function count(sandbox: Sandbox, call: string, path: string): number {
  return sandbox.log().filter((line) => line.kind === 'fs' && line.call === call && line.path === path).length;
}

async function outputOf(sandbox: Sandbox): Promise<unknown> {
  const { entries } = await sandbox.recorded(RUN);
  return entries.find(({ path }) => path === 'steps/apply')?.value;
}

/** The answer to a wait that is the second element of a fragment. */
const INSIDE = { 'steps/apply/xmd[1]/Ask': ', and so on' };

describe('a read', () => {
  const plan = { fragment: 'It says: <File path="a.md" />', files: { 'a.md': 'first' } };

  it('R1 a run resumes past a later wait, in a new process, with what was read, although the file has changed', async () => {
    const { sandbox, program } = makePlan(plan);
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    sandbox.put('a.md', 'second');
    await driveToEnd(sandbox, program);

    expect(await outputOf(sandbox)).toEqual({
      observations: [{ name: 'File', value: 'first' }],
      output: 'It says: first',
    });
    expect((await sandbox.record(RUN))?.status).toBe('completed');
    expect(count(sandbox, 'read', 'a.md')).toBe(1);
  });

  it('R1 the same past a wait inside the fragment', async () => {
    const { sandbox, program } = makePlan({ ...plan, fragment: `${plan.fragment}<Ask />`, answers: INSIDE });
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    sandbox.put('a.md', 'second');
    await driveToEnd(sandbox, program);
    expect(await outputOf(sandbox)).toMatchObject({ output: 'It says: first, and so on' });
    expect(count(sandbox, 'read', 'a.md')).toBe(1);
  });

  it('R1 a run that had not read it yet reads the changed file', async () => {
    const { sandbox, program } = makePlan(plan);
    sandbox.put('a.md', 'second');
    await driveToEnd(sandbox, program);
    expect(await outputOf(sandbox)).toMatchObject({ output: 'It says: second' });
  });
});

describe('a write', () => {
  const fragment = '<File path="a.md">by the plan</File>';

  it.each([
    ['edited', (sandbox: Sandbox) => sandbox.put('a.md', 'by a person'), 'by a person'],
    ['removed', (sandbox: Sandbox) => rmSync(join(sandbox.workspace, 'a.md')), undefined],
  ] as const)('R2 what one process wrote and a person has %s is not written again', async (_how, change, left) => {
    const { sandbox, program } = makePlan({ fragment });
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    expect(sandbox.text('a.md')).toBe('by the plan');
    change(sandbox);
    await driveToEnd(sandbox, program);

    expect((await sandbox.record(RUN))?.status).toBe('completed');
    expect(sandbox.text('a.md')).toBe(left);
    expect(count(sandbox, 'rename', 'a.md')).toBe(1);
  });

  it('R2 the same past a wait inside the fragment', async () => {
    const { sandbox, program } = makePlan({ fragment: `${fragment}<Ask />`, answers: INSIDE });
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    sandbox.put('a.md', 'by a person');
    await driveToEnd(sandbox, program);
    expect((await sandbox.record(RUN))?.status).toBe('completed');
    expect(sandbox.text('a.md')).toBe('by a person');
    expect(count(sandbox, 'rename', 'a.md')).toBe(1);
  });

  it('R2 what nobody has touched stands at the end', async () => {
    const { sandbox, program } = makePlan({ fragment });
    await driveToEnd(sandbox, program);
    expect(sandbox.text('a.md')).toBe('by the plan');
    expect(count(sandbox, 'rename', 'a.md')).toBe(1);
  });
});

/** What a process told as it went, one word each: replayed under one mark, performed under another. */
function told(stderr: string | undefined, mark: string): readonly (string | undefined)[] {
  const lines = (stderr ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => line.startsWith(mark)).map((line) => line.split(/ +/)[1]?.split('/').at(-1));
}

describe('the order of the journal', () => {
  const fragment = [
    '<File path="a.md" />',
    '<Dir path="out"><File path="b.md">b</File></Dir>',
    '<Ask title="Go on?" />',
    '<File path="c.md"><File path="a.md" /></File>',
    '<File.Delete path="a.md" />',
    '<Record title="done" />',
  ].join('');
  const ORDER = [
    'inputs',
    'steps/apply/inputs',
    'steps/apply/generated_xmd',
    'steps/apply/xmd[0]/File',
    'steps/apply/xmd[1]/Dir',
    'steps/apply/xmd[1]/Dir/xmd[0]/File/before',
    'steps/apply/xmd[1]/Dir/xmd[0]/File',
    'steps/apply/xmd[2]/Ask/token',
    'steps/apply/xmd[2]/Ask',
    'steps/apply/xmd[3]/File/xmd[0]/File',
    'steps/apply/xmd[3]/File/before',
    'steps/apply/xmd[3]/File',
    'steps/apply/xmd[4]/File.Delete/before',
    'steps/apply/xmd[4]/File.Delete',
    'steps/apply/xmd[5]/Record/begun',
    'steps/apply/xmd[5]/Record',
    'steps/apply/generated_xmd/outcome',
    'steps/apply',
    'steps/later',
    'steps/approve/token',
    'steps/approve',
  ];
  const answers = { 'steps/apply/xmd[2]/Ask': 'yes' };

  it('R3 each process adds the next entries in authored order, and a resumed one goes through the same sequence', async () => {
    const { sandbox, program } = makePlan({ fragment, files: { 'a.md': 'a' }, answers });
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    expect(await sandbox.paths(RUN)).toEqual(ORDER.slice(0, 8));

    const [resumed] = await driveToEnd(sandbox, program);
    expect(await sandbox.paths(RUN)).toEqual(ORDER);
    expect(told(resumed?.stderr, '↺')).toEqual(['admitted', 'File', 'Dir', 'File', 'Ask']);
    expect(told(resumed?.stderr, '✓')).toEqual(['File', 'File', 'File.Delete', 'Record', 'later']);
  });

  it('R3 a run without the wait records the same in one process', async () => {
    const { sandbox, program } = makePlan({
      fragment: fragment.replace('<Ask title="Go on?" />', ''),
      files: { 'a.md': 'a' },
    });
    await sandbox.command(program.start);
    expect(await sandbox.paths(RUN)).toHaveLength(ORDER.length - 3);
  });
});

describe('a process killed after the record of effect k of n', () => {
  const titles = ['one', 'two', 'three', 'four'];
  const fragment = titles.map((title) => `<Look title="${title}" /><File path="${title}.md">${title}</File>`).join('');
  const shared = 5;

  it.each([1, 2, 3, 4])('R4 makes %i calls, and the next one the others; each change is made once', async (k) => {
    const { sandbox, program } = makePlan({ fragment });
    // Four entries for each pair: that the call begins, the call, the look ahead of the write, the write.
    const killAt = String(shared + 4 * (k - 1) + 2);
    expect(await sandbox.command(program.start, { FAULTS_KILL_AT: killAt, FAULTS_SIDE: 'after' })).toMatchObject({
      signal: 'SIGKILL',
    });
    expect((await sandbox.paths(RUN)).filter((path) => path.endsWith('/Look'))).toHaveLength(k);
    expect(sandbox.calls('look')).toHaveLength(k);
    await driveToEnd(sandbox, program);
    expect(sandbox.calls('look')).toHaveLength(titles.length);
    expect(titles.map((title) => count(sandbox, 'rename', `${title}.md`))).toEqual([1, 1, 1, 1]);
  });

  it('R4 a call whose record was lost is made once more; a change is not', async () => {
    const { sandbox, program } = makePlan({ fragment: '<Look title="one" /><File path="one.md">one</File>' });
    const kill = (killAt: number) => sandbox.command(program.start, { FAULTS_KILL_AT: String(killAt) });
    expect(await kill(shared + 2)).toMatchObject({ signal: 'SIGKILL' });
    expect(await sandbox.command(['resume', RUN], { FAULTS_KILL_AT: '4' })).toMatchObject({ signal: 'SIGKILL' });
    expect(await sandbox.paths(RUN)).toEqual(expect.arrayContaining(['steps/apply/xmd[1]/File/before']));
    expect(sandbox.text('one.md')).toBe('one');
    await driveToEnd(sandbox, program);
    expect(sandbox.calls('look')).toHaveLength(2);
    expect(count(sandbox, 'rename', 'one.md')).toBe(1);
  });
});
