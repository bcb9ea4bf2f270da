import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driveToEnd } from '../../support/processes/drive.ts';
import { makePlan, RUN, writePlan } from '../../support/processes/plan.ts';
import type { Profile } from '../../support/processes/plan.ts';
import { canary } from '../../unit/xmd/http/canary.ts';
import type { Sandbox } from '../../support/processes/sandbox.ts';

const ASK = 'steps/apply/xmd[2]/Ask';
const PLAN = {
  fragment:
    '<Record title="one" /><File path="one.md">one</File><Ask /><Record title="two" /><File path="two.md">two</File>',
  answers: { [ASK]: 'yes' },
};

/** Parks inside the fragment, with the answer given: the next process has three effects before it. */
async function parked() {
  const plan = makePlan(PLAN);
  expect(await plan.sandbox.command(plan.program.start)).toMatchObject({ code: 2 });
  expect(await plan.sandbox.command(['answer', RUN, '"yes"'])).toMatchObject({ code: 0 });
  return plan;
}

/** Everything a refused process must leave as it was. */
async function standing(sandbox: Sandbox) {
  return {
    entries: await sandbox.entries(RUN),
    files: sandbox.files(),
    calls: sandbox.calls('record').length + sandbox.calls('other').length,
    status: (await sandbox.record(RUN))?.status,
  };
}

async function refuses(sandbox: Sandbox, code: string, what = ''): Promise<void> {
  const before = await standing(sandbox);
  const refused = await sandbox.command(['resume', RUN]);
  expect({ what, ...refused }).toMatchObject({ what, code: 3, signal: null });
  expect(refused.stderr).toContain(code);
  expect(refused.stderr).not.toMatch(/^\s+at /m);
  expect({ what, ...(await standing(sandbox)) }).toEqual({ what, ...before });
}

describe('a profile that changed between two processes', () => {
  const changes: readonly (readonly [string, Partial<Profile>])[] = [
    ['allow', { allow: '[write]' }],
    ['a limit', { limits: '{ elements: 10 }' }],
    ['the root', { root: './elsewhere' }],
    ['the revision of an operation', { recordRevision: "'2'" }],
    ['the resource behind an operation', { recordTarget: 'other' }],
    ['the form of an operation', { recordForm: 'paired' }],
  ];

  it('R5 in allow, limit, root, revision, identity or form: nothing is performed or recorded, and the old policy resumes', async () => {
    const { sandbox, program } = await parked();
    for (const [what, change] of changes) {
      writePlan(sandbox, change);
      await refuses(sandbox, 'ERR_XMD_', what);
    }
    writePlan(sandbox);
    await driveToEnd(sandbox, program);
    expect(await standing(sandbox)).toMatchObject({ status: 'completed', calls: 2 });
    expect([sandbox.text('one.md'), sandbox.text('two.md')]).toEqual(['one', 'two']);
  });

  it('R5 the same policy resumes', async () => {
    const { sandbox, program } = await parked();
    await driveToEnd(sandbox, program);
    expect(await standing(sandbox)).toMatchObject({ status: 'completed', calls: 2 });
  });

  it('R5 a change in a table that allow did not select resumes', async () => {
    const { sandbox, program } = makePlan({ fragment: '<Look /><Ask /><Look />', profile: { allow: '[read]' } });
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    writePlan(sandbox, { allow: '[read]', recordRevision: "'2'", recordTarget: 'other' });
    const answers = { ...program.answers, 'steps/apply/xmd[1]/Ask': 'yes' };
    await driveToEnd(sandbox, { ...program, answers });
    expect(await standing(sandbox)).toMatchObject({ status: 'completed' });
    expect(sandbox.calls('look')).toHaveLength(2);

    const control = makePlan({ fragment: '<Look /><Ask /><Look />', profile: { allow: '[read]' } });
    expect(await control.sandbox.command(control.program.start)).toMatchObject({ code: 2 });
    await control.sandbox.command(['answer', RUN, '"yes"']);
    writePlan(control.sandbox, { allow: '[read]', lookRevision: "'2'" });
    await refuses(control.sandbox, 'ERR_XMD_POLICY_CHANGED');
    expect(control.sandbox.calls('look')).toHaveLength(1);
  });
});

describe('requests that changed between two processes', () => {
  it('R5 another URL, method or prefix: no request is made, and the old ones resume', async () => {
    const server = await canary((_request, response) => void response.end('served'));
    const url = `http://127.0.0.1:${String(server.port)}/a`;
    const requests = `[{ url: '${url}' }]`;
    const fragment = `<Fetch url="${url}" /><Ask /><Fetch url="${url}" />`;
    const answers = { 'steps/apply/xmd[1]/Ask': 'yes' };
    const { sandbox, program } = makePlan({ fragment, answers, profile: { requests } });
    expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
    expect(await sandbox.command(['answer', RUN, '"yes"'])).toMatchObject({ code: 0 });
    expect(server.hits()).toBe(1);

    for (const moved of [
      `[{ url: '${url}b' }]`,
      `[{ url: '${url}', method: HEAD }]`,
      `[{ url: '${url}' }, { url: '${url}b' }]`,
      `[{ url: '${url.replace(/a$/, '')}', match: prefix }]`,
    ]) {
      writePlan(sandbox, { requests: moved });
      await refuses(sandbox, 'ERR_XMD_POLICY_CHANGED', moved);
      expect({ moved, hits: server.hits() }).toEqual({ moved, hits: 1 });
    }

    writePlan(sandbox, { requests });
    await driveToEnd(sandbox, program);
    expect(await standing(sandbox)).toMatchObject({ status: 'completed' });
    expect(server.requests).toEqual(['GET /a', 'GET /a']);
  });
});

describe('a record whose policy is not the one that is stated now', () => {
  it('R8 moved four ways it writes nothing, and the unmoved one resumes', async () => {
    const moves: readonly Partial<Profile>[] = [
      { allow: '[read, write]', limits: '{ elements: 999 }' },
      { root: './elsewhere' },
      { recordRevision: "'0'" },
      { recordTarget: 'other' },
      {},
    ];
    for (const profile of moves) {
      const { sandbox, program } = makePlan({ ...PLAN, profile });
      mkdirSync(join(sandbox.folder, 'elsewhere'));
      expect(await sandbox.command(program.start)).toMatchObject({ code: 2 });
      expect(await sandbox.command(['answer', RUN, '"yes"'])).toMatchObject({ code: 0 });
      writePlan(sandbox);
      if (Object.keys(profile).length > 0) await refuses(sandbox, 'ERR_XMD_POLICY_CHANGED');
      else await driveToEnd(sandbox, program);
      expect(sandbox.text('two.md')).toBe(Object.keys(profile).length > 0 ? undefined : 'two');
    }
  });
});
