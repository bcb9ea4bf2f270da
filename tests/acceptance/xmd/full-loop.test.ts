import { describe, expect, it, onTestFinished } from 'vitest';
import { startModelServer } from '../../support/model-server/model-server.ts';
import { answersOf } from '../../support/processes/examples.ts';
import { countedAnswers, planAndApprove } from '../../support/processes/loops.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';

/** Processes on a loaded machine take seconds each. */
const LOOP_MS = 120_000;
const RUN = 'change:color';
const CONFIG = '{\n  "port": 8080,\n  "color": "amber"\n}\n';

/** The example as it is shipped, with its scripted model counting. */
async function open() {
  const server = await startModelServer();
  countedAnswers(server, await answersOf('plan-and-approve'));
  const subject = planAndApprove(server);
  const sandbox = new Sandbox(undefined, subject.envOf);
  onTestFinished(() => sandbox.remove());
  subject.prepare(sandbox);
  const answer = (approved: boolean, remark?: string) =>
    sandbox.command([
      'answer',
      RUN,
      JSON.stringify({ approved, ...(remark === undefined ? {} : { remark }) }),
      '--resume',
    ]);
  const changes = (): readonly string[] =>
    sandbox
      .log()
      .flatMap((line) =>
        line.kind === 'fs' && /^(?:rename|unlink)$/.test(line.call) ? [`${line.call} ${line.path}`] : [],
      );
  const requestAt = async (turn: number): Promise<string> => {
    const waits = await sandbox.waits(RUN);
    return String(waits.find(({ path }) => path === `steps/draft/iterate[${turn}]/review`)?.request);
  };
  return { server, sandbox, answer, changes, requestAt, start: () => sandbox.command(subject.start) };
}

describe('the example plan-and-approve', { timeout: LOOP_MS }, () => {
  it('AP-20 plans, shows, plans again on a remark, shows that, and does exactly what was approved', async () => {
    const { server, sandbox, answer, changes, requestAt, start } = await open();

    expect((await start()).code).toBe(2);
    expect(await requestAt(0)).toContain('3. delete "config.old.json"');
    expect((await answer(false, 'Keep config.old.json.')).code).toBe(2);
    const shown = await requestAt(1);
    expect(shown).toContain('-  "colour": "amber"\n+  "color": "amber"\n');
    expect(shown).not.toContain('delete');
    expect(changes()).toEqual([]);

    expect((await answer(true)).code).toBe(0);

    expect(changes()).toEqual(['rename config.json', 'rename CHANGELOG.md']);
    expect([sandbox.text('config.json'), sandbox.text('config.old.json')]).toEqual([
      CONFIG,
      '{ "colour": "crimson" }\n',
    ]);
    expect(server.asked).toHaveLength(2);
    const roles = server.asked.map(({ body }) => [body['messages']].flat().map((message) => Object(message).role));
    expect(roles).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'user'],
    ]);
    expect(server.asked[1]?.text).toContain('Keep config.old.json.');
    // What only the person was shown: the rendering, and in it a file that nobody granted to read.
    for (const { text } of server.asked) expect(text).not.toMatch(/crimson|@@/);
  });

  it('AP-21 refuses with a code what a person has edited while they thought, and leaves their words', async () => {
    const { sandbox, answer, changes, start } = await open();
    await start();
    await answer(false, 'Keep config.old.json.');
    sandbox.put('CHANGELOG.md', 'mine\n');

    const ended = await answer(true);

    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('ERR_XMD_APPROVAL_STALE');
    expect(await sandbox.record(RUN)).toMatchObject({ status: 'failed', error: { code: 'ERR_XMD_APPROVAL_STALE' } });
    expect(changes()).toEqual([]);
    expect(sandbox.text('CHANGELOG.md')).toBe('mine\n');
  });

  it('PL-11 asks three times at most, and without a yes nothing is done', async () => {
    const { server, sandbox, answer, changes, start } = await open();
    await start();

    const codes = [await answer(false, 'No.'), await answer(false), await answer(false)].map(({ code }) => code);

    expect(codes).toEqual([2, 2, 1]);
    expect(server.asked).toHaveLength(3);
    expect(server.asked[2]?.text).toContain('Not like this.');
    expect(await sandbox.record(RUN)).toMatchObject({ status: 'failed', error: { code: 'ERR_NOT_APPROVED' } });
    expect(changes()).toEqual([]);
  });
});
