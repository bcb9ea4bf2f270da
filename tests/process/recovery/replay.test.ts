import { describe, expect, it } from 'vitest';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN } from '../../support/processes/plan.ts';

const ENTRIES = [
  'inputs',
  'steps/apply/inputs',
  'steps/apply/generated_xmd',
  'steps/apply/generated_xmd/outcome',
  'steps/apply',
];

describe('a fragment without effects', () => {
  it.each([
    ['empty', ''],
    ['text', 'Nothing to do:\r\n\t`<File />` is code, \\{this} is escaped, 2 < 3.  \n'],
  ])('R6 (%s) is admitted once, comes out verbatim, and survives a kill after each record', async (_what, fragment) => {
    const { sandbox, program } = makePlan({ fragment });
    for (let killAt = 3; killAt < 3 + ENTRIES.length; killAt += 1) {
      const args = killAt === 3 ? program.start : ['resume', RUN];
      // A first process admits, claims and records; each further one claims and records one entry.
      const env = { FAULTS_KILL_AT: killAt === 3 ? '3' : '2', FAULTS_SIDE: 'after' };
      expect(await sandbox.command(args, env)).toMatchObject({ signal: 'SIGKILL' });
      expect(await sandbox.paths(RUN)).toEqual(ENTRIES.slice(0, killAt - 2));
    }
    await driveToEnd(sandbox, program);
    const { entries, status } = await sandbox.recorded(RUN);
    expect(status).toBe('completed');
    expect(entries.map(({ path }) => path).slice(0, ENTRIES.length)).toEqual(ENTRIES);
    expect(entries[4]?.value).toEqual({ observations: [], output: fragment });
  });
});

describe('a replay', () => {
  const fragment = '<Look title="one" /><Ask /><Look title="two" />';
  const answers = { 'steps/apply/xmd[1]/Ask': 'yes' };

  it('R7 a partial one makes no second call', async () => {
    const { sandbox, program } = makePlan({ fragment, answers });
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    expect(sandbox.calls('look')).toHaveLength(1);
    expect(await sandbox.command(['resume', RUN])).toMatchObject({ code: 2 });
    expect(sandbox.calls('look')).toHaveLength(1);
    await driveToEnd(sandbox, program);
    expect(sandbox.calls('look')).toHaveLength(2);
  });

  it('R7 a completed run is answered from its record: nothing is expanded, called or written', async () => {
    const { sandbox, program } = makePlan({ fragment, answers });
    await driveToEnd(sandbox, program);
    const before = { log: sandbox.log(), recorded: await sandbox.recorded(RUN) };
    expect(await sandbox.command(['resume', RUN])).toMatchObject({ code: 0 });
    const again = await sandbox.command([...program.start, '--json']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(again.stdout)).toMatchObject({ runs: [{ run: RUN, result: before.recorded.result }] });
    expect(await sandbox.recorded(RUN)).toEqual(before.recorded);
    // Being asked to admit a run that is there writes nothing.
    expect(sandbox.log().slice(before.log.length)).toEqual([{ kind: 'journal', call: 'admitRun', path: 'running' }]);
  });
});
