import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, type Plan, preparePlan, RUN } from '../../support/processes/plan.ts';
import type { Sandbox } from '../../support/processes/sandbox.ts';
import { forget, pointsOf, sweep, undisturbed } from '../../support/processes/sweep.ts';

const FRAGMENT =
  '<File path="a.md">new a\n</File><Record title="it" /><File.Delete path="old.md" /><File path="b.md">B</File>';

/** A person sees what the fragment would do before it is evaluated. */
const LOOP: Plan = {
  fragment: FRAGMENT,
  files: { 'a.md': 'a\n', 'old.md': 'old\n' },
  answers: { 'steps/ask': { agreed: true } },
  step: `  - { name: check, invoke: !ref check, inputs: { text: !cel inputs.text } }
  - { name: ask, invoke: !ref approval, inputs: { request: !cel steps.check.result.rendering } }
  - name: apply
    invoke: !ref applyPlan
    inputs: { text: !cel inputs.text, approved: !cel steps.check.result.digest }`,
  tail: `  - { name: later, invoke: !ref later }
---
kind: Xmd.Preflight
metadata: { name: check }
profile: !ref workspace
allow: [read, write]`,
};

const TO_THE_WAIT = ['inputs', 'steps/check/inputs', 'steps/check', 'steps/ask/inputs', 'steps/ask/token'];
const ADMITTED = [
  ...TO_THE_WAIT,
  'steps/ask',
  'steps/apply/inputs',
  'steps/apply/generated_xmd',
  'steps/apply/generated_xmd/approval',
];
const WHOLE = [
  ...ADMITTED,
  'steps/apply/xmd[0]/File/before',
  'steps/apply/xmd[0]/File',
  'steps/apply/xmd[1]/Record/begun',
  'steps/apply/xmd[1]/Record',
  'steps/apply/xmd[2]/File.Delete/before',
  'steps/apply/xmd[2]/File.Delete',
  'steps/apply/xmd[3]/File/before',
  'steps/apply/xmd[3]/File',
  'steps/apply/generated_xmd/outcome',
  'steps/apply',
  'steps/later',
];

function changes(sandbox: Sandbox): readonly string[] {
  return sandbox
    .log()
    .flatMap((line) =>
      line.kind === 'fs' && (line.call === 'rename' || line.call === 'unlink') && !line.path.endsWith('TEMPORARY')
        ? [`${line.call} ${line.path}`]
        : [],
    );
}

const CHANGES = ['rename a.md', 'unlink old.md', 'rename b.md'];
const called = (sandbox: Sandbox): number =>
  sandbox.log().filter((line) => line.kind === 'call' && line.name === 'record').length;

describe('an approval over processes', () => {
  it('AP-20 what a person was shown is performed in another process, once, and everything is on record in order', async () => {
    const { sandbox, program } = makePlan(LOOP);
    const started = await sandbox.command(program.start);
    expect(started).toMatchObject({ code: 2 });
    expect(started.stderr).toContain('  1. write "a.md"\n  --- a.md\n  +++ a.md\n  @@ -1 +1 @@\n  -a\n  +new a\n');
    expect(await sandbox.paths(RUN)).toEqual(TO_THE_WAIT);
    expect(changes(sandbox)).toEqual([]);

    await driveToEnd(sandbox, program);
    expect(await sandbox.paths(RUN)).toEqual(WHOLE);
    expect((await sandbox.record(RUN))?.status).toBe('completed');
    expect(changes(sandbox)).toEqual(CHANGES);
    expect(called(sandbox)).toBe(1);
  });

  it.each<[string, (sandbox: Sandbox) => void]>([
    ['edited', (sandbox) => sandbox.put('a.md', 'edited\n')],
    ['given another mode', (sandbox) => chmodSync(join(sandbox.workspace, 'a.md'), 0o600)],
    ['created', (sandbox) => sandbox.put('b.md', 'mine')],
  ])('AP-21 a file that is %s while the person thinks stops it before the first effect', async (_how, move) => {
    const { sandbox, program } = makePlan(LOOP);
    await sandbox.command(program.start);
    move(sandbox);
    const answered = await sandbox.command(['answer', RUN, '{"agreed":true}', '--resume']);
    expect(answered.code).toBe(3);
    expect(answered.stderr).toContain('ERR_XMD_APPROVAL_STALE');
    expect(await sandbox.paths(RUN)).toEqual(ADMITTED);
    expect((await sandbox.record(RUN))?.error?.code).toBe('ERR_XMD_APPROVAL_STALE');
    expect(changes(sandbox)).toEqual([]);
    expect(called(sandbox)).toBe(0);
  });

  it('AP-22 killed behind each record of the evaluation and resumed, it makes each change and call once', async () => {
    const subject = { ...makePlan(LOOP).program, prepare: (sandbox: Sandbox) => void preparePlan(sandbox, LOOP) };
    const whole = await undisturbed(subject);
    try {
      const points = pointsOf(whole).filter(
        ({ kind, side, what }) => kind === 'write' && side === 'after' && what.startsWith('append steps/apply'),
      );
      expect(points).toHaveLength(WHOLE.filter((path) => path.startsWith('steps/apply')).length);
      await sweep(subject, whole, points);
    } finally {
      forget(whole);
    }
  }, 600_000);
});
