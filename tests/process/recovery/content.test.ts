import { onTestFinished, describe, expect, it } from 'vitest';
import { MADE_BY_CONTENT, writeContent } from '../../support/processes/content.ts';
import { driveToEnd } from '../../support/processes/drive.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';
import { forget, pointsOf, sweep, undisturbed } from '../../support/processes/sweep.ts';

const { run, start } = MADE_BY_CONTENT;
const RESULT = 'I look: a\n\n\n';

/** An application whose run has answered its wait inside content, and may be resumed. */
async function answered(): Promise<Sandbox> {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  MADE_BY_CONTENT.prepare(sandbox);
  expect(await sandbox.command(start)).toMatchObject({ code: 2 });
  expect(await sandbox.paths(run)).toEqual(['inputs', 'steps/apply/inputs', 'steps/apply/content/ask/token']);
  expect(await sandbox.command(['answer', run, '"go on"'])).toMatchObject({ code: 0 });
  return sandbox;
}

async function output(sandbox: Sandbox): Promise<unknown> {
  const entries = await sandbox.entries(run);
  return Object(entries.find(({ path }) => path === 'steps/apply')?.value).output;
}

describe('a producer that is killed', () => {
  it('EV-15 inside its call: it is called once more, by the next process, and everything else once', async () => {
    const sandbox = await answered();
    expect(await sandbox.command(['resume', run], { COUNTED_KILL: 'producer' })).toMatchObject({ signal: 'SIGKILL' });
    expect((await sandbox.paths(run)).filter((path) => path.includes('generated_xmd'))).toEqual([]);
    await driveToEnd(sandbox, MADE_BY_CONTENT);

    const calls = ['producer', 'record', 'later'].map((name) => sandbox.calls(name).length);
    expect([calls, await output(sandbox)]).toEqual([[2, 1, 1], RESULT]);
  });

  it('EV-15 E6 around its record and around the admission: it is asked again only if its record was lost', async () => {
    const whole = await undisturbed(MADE_BY_CONTENT);
    const writes = new Set(['append steps/apply/content/draft', 'append steps/apply/generated_xmd']);
    const points = pointsOf(whole).filter(({ kind, what }) => kind === 'write' && writes.has(what));
    const repeated = await sweep(MADE_BY_CONTENT, whole, points);
    forget(whole);

    expect(points).toHaveLength(4);
    expect(repeated.map(({ point: { what, side }, again }) => [side, what, again])).toEqual([
      ['before', 'append steps/apply/content/draft', ['call producer']],
    ]);
  });

  it('E6 an effect later: the producer is not asked again, and edited content refuses until the old one is back', async () => {
    const sandbox = await answered();
    expect(await sandbox.command(['resume', run], { COUNTED_KILL: 'record' })).toMatchObject({ signal: 'SIGKILL' });
    const before = await sandbox.entries(run);

    writeContent(sandbox, 'content:\n  - { name: other, invoke: !ref other }\n  - { name: edited, value: else }\n');
    const stale = await sandbox.command(['resume', run]);
    expect(stale).toMatchObject({ code: 3 });
    expect(stale.stderr).toContain('ERR_XMD_TEXT_CHANGED');
    expect([sandbox.calls('record').length, sandbox.text('out/b.md')]).toEqual([1, undefined]);
    expect((await sandbox.entries(run)).slice(0, before.length)).toEqual(before);

    writeContent(sandbox);
    await driveToEnd(sandbox, MADE_BY_CONTENT);
    const calls = ['producer', 'record', 'later'].map((name) => sandbox.calls(name).length);
    expect([calls, await output(sandbox), sandbox.text('out/b.md')]).toEqual([[1, 2, 1], RESULT, 'B']);
  });
});
