import type { ResourceInstance } from '@telorun/sdk';
import { codeOf, InvokeError, isInvokeError } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import { resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { rewrite, Scene } from './scene.ts';

// Put together here, so that no tool that looks for secrets finds one in this file.
const CANARY = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
const GITHUB = '@secretlint/secretlint-rule-github';
const DATABASE = '@secretlint/secretlint-rule-database-connection-string';
const COMPOSE = 'services:\n  db:\n    environment:\n      URL: postgres://postgres:postgres@localhost:5432/app\n';
const ADMISSION = 'steps/apply/generated_xmd';
const CALL = {
  name: 'Call',
  form: 'self-closing',
  grant: 'read',
  revision: '1',
  invoke: { kind: 'T.K', name: 'target' },
};

interface Ended {
  readonly value?: unknown;
  readonly error?: { readonly code: string | undefined; readonly message: string; readonly data: unknown };
}

async function ended(work: Promise<unknown>): Promise<Ended> {
  try {
    return { value: await work };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: codeOf(error), message, data: isInvokeError(error) ? error.data : undefined } };
  }
}

/** Everything that is on record, and everything that was said, as one text. */
const everything = (run: MemoryRun, end: Ended): string => JSON.stringify([[...run.entries], end]);

function hostScene(call: () => unknown, secrets?: unknown) {
  const calls: number[] = [];
  const target: ResourceInstance = resource('T.K', 'target', async () => (calls.push(1), call()));
  const scene = new Scene({
    allow: ['read', 'write'],
    profile: { operations: [CALL], ...(secrets === undefined ? {} : { secrets }) },
    targets: { target },
  });
  return { scene, calls };
}

describe('SC-10 a fragment that holds a secret', () => {
  const text = `Notes\n<File path="a.md">\nkey ${CANARY}\n</File>`;

  it('is refused before its effects, by rule and position alone, and stays refused', async () => {
    const scene = new Scene({ allow: ['write'] });
    const run = new MemoryRun();
    const end = await ended(scene.process().evaluateIn(run.open(), { text }));
    expect(end.error).toMatchObject({
      code: 'ERR_XMD_SECRET',
      data: { within: 'text', rule: GITHUB, line: 3, column: 5 },
    });
    expect(run.keys()).toEqual([ADMISSION]);
    expect(everything(run, end)).not.toContain(CANARY);
    expect(everything(run, end)).not.toContain('Notes');
    expect(scene.get('a.md')).toBeUndefined();
    const again = await ended(
      scene.process({ profile: { secrets: 'off' } }).evaluateIn(run.open(), { text: text.replace(CANARY, 'x') }),
    );
    expect(again.error).toEqual(end.error);
  });

  it('is performed without it, or where the profile does not look', async () => {
    const scene = new Scene({ allow: ['write'] });
    await scene.process().evaluateIn(new MemoryRun().open(), { text: text.replace(CANARY, 'none') });
    expect(scene.get('a.md')).toBe('key none\n');
    for (const secrets of ['off', { fragment: 'off' }, { allow: [GITHUB] }]) {
      const run = new MemoryRun();
      await scene.process({ profile: { secrets } }).evaluateIn(run.open(), { text });
      expect(scene.get('a.md')).toContain(CANARY);
      expect(JSON.stringify([...run.entries])).toContain(CANARY);
      scene.delete('a.md');
    }
  });

  it('is refused outside a run, too, and a fragment that is refused anyway says only that', async () => {
    const scene = new Scene({ allow: ['write'] });
    expect((await ended(scene.process().evaluate({ text }))).error?.code).toBe('ERR_XMD_SECRET');
    const run = new MemoryRun();
    const end = await ended(scene.process().evaluateIn(run.open(), { text: `${CANARY} <Other />` }));
    expect(end.error?.code).toBe('ERR_XMD_REFUSED');
    expect(everything(run, end)).not.toContain(CANARY);
  });

  it('SC-10 EV-50 is not reported as admitted by Preflight, which says rule and position as Evaluate does', async () => {
    const scene = new Scene({ allow: ['write'] });
    const secret = { within: 'text', rule: GITHUB, line: 3, column: 5 };
    for (const answer of [
      await scene.process().preflight({ text }),
      await scene.process().evaluateInstance.preflight({ text }),
    ]) {
      const rendering = `Refused, nothing would be done. The fragment holds what looks like a secret: line 3, column 5 (${GITHUB}).\n`;
      expect(answer).toEqual({ version: 2, admitted: false, rendering, secret });
    }
    expect(scene.get('a.md')).toBeUndefined();
    const refused = await scene.process().preflight({ text: `${CANARY} <Other />` });
    expect(refused).toMatchObject({ admitted: false, refusal: { class: 'component' } });
    for (const secrets of ['off', { allow: [GITHUB] }]) {
      expect(await scene.process({ profile: { secrets } }).preflight({ text })).toMatchObject({ admitted: true });
    }
    const harmless = { text: text.replace(CANARY, 'none') };
    expect(await scene.process().preflight(harmless)).toMatchObject({ admitted: true });
  });

  it('goes on when it is on record: what was admitted is not examined again', async () => {
    const scene = new Scene({ allow: ['write'], profile: { secrets: 'off' } });
    const run = new MemoryRun();
    await ended(scene.process().evaluateIn(run.openKilledAt(1), { text }));
    expect(run.keys()).toEqual([ADMISSION]);
    await scene.process({ profile: {} }).evaluateIn(run.open(), { text });
    expect(scene.get('a.md')).toContain(CANARY);
  });

  it.each([
    ['a rule that is no id', { rule: `${CANARY} X` }],
    ['no rule', { rule: undefined }],
    ['another place', { within: 'elsewhere' }],
    ['a line of 0', { line: 0 }],
    ['a column that is a text', { column: '5' }],
    ['an extra member', { text: CANARY }],
  ])('E7 a recorded refusal with %s is unreadable', async (_name, change) => {
    const scene = new Scene({ allow: ['write'] });
    const run = new MemoryRun();
    await ended(scene.process().evaluateIn(run.open(), { text }));
    rewrite(run, ADMISSION, (record) => ({ ...record, secret: { ...Object(record['secret']), ...change } }));
    const end = await ended(scene.process().evaluateIn(run.open(), { text }));
    expect(end.error?.code).toBe('ERR_XMD_RECORD_UNREADABLE');
    expect(JSON.stringify(end)).not.toContain(CANARY);
  });

  it('SC-03 a compose file is ordinary work once its rule is allowed', async () => {
    const fragment = `<File path="compose.yaml">\n${COMPOSE}</File>`;
    const scene = new Scene({ allow: ['write'] });
    const refused = await ended(scene.process().evaluateIn(new MemoryRun().open(), { text: fragment }));
    expect(refused.error?.data).toMatchObject({ rule: DATABASE, line: 5 });
    const allowing = scene.process({ profile: { secrets: { allow: [DATABASE] } } });
    await allowing.evaluateIn(new MemoryRun().open(), { text: fragment });
    expect(scene.get('compose.yaml')).toBe(COMPOSE);
    const both = await ended(allowing.evaluateIn(new MemoryRun().open(), { text: `${fragment}${CANARY}` }));
    expect(both.error?.data).toMatchObject({ rule: GITHUB });
  });
});

const failing = (message: string, data?: unknown) => () => {
  throw new InvokeError('ERR_TARGET', message, data);
};

describe('SC-11 what an operation of the host comes to', () => {
  const TEXT = '<Call /><File path="later.md">later</File>';
  it.each([
    ['an answer', () => `found ${CANARY}`],
    ['a member', () => ({ deep: [{ token: CANARY }] })],
    ['a name of a member', () => ({ [CANARY]: true })],
    ['a message of its failure', failing(`no access with ${CANARY}`)],
    ['data of its failure', failing('no access', { token: CANARY })],
  ])('fails the effect when %s is a secret; nothing later starts, nothing of it is told', async (_name, call) => {
    const { scene, calls } = hostScene(call);
    const run = new MemoryRun();
    const end = await ended(scene.process().evaluateIn(run.open(), { text: TEXT }));
    expect(end.error).toMatchObject({
      code: 'ERR_XMD_SECRET',
      data: { effect: 'steps/apply/xmd[0]/Call', rule: GITHUB },
    });
    expect(everything(run, end)).not.toContain(CANARY);
    expect(run.keys()).not.toContain('steps/apply/xmd[0]/Call');
    expect(run.value(`${ADMISSION}/outcome`)).toMatchObject({ outcome: 'failed', code: 'ERR_XMD_SECRET' });
    expect(scene.get('later.md')).toBeUndefined();
    expect(calls).toHaveLength(1);
    expect(await ended(scene.process().evaluateIn(run.open(), { text: TEXT }, { attempt: 0 }))).toEqual(end);
    expect(calls).toHaveLength(1);
  });

  it.each([
    ['an answer without one', () => 'found nothing', undefined],
    ['a place that is not examined', () => CANARY, { responses: 'off' }],
    ['a rule that is allowed', () => CANARY, { allow: [GITHUB] }],
  ])('is recorded for %s', async (_name, call, secrets) => {
    const { scene } = hostScene(call, secrets);
    const run = new MemoryRun();
    await scene.process().evaluateIn(run.open(), { text: TEXT });
    expect(run.value('steps/apply/xmd[0]/Call')).toBe(call());
    expect(scene.get('later.md')).toBe('later');
  });
});

describe('SC-11 what is read from a file', () => {
  it('is recorded unless the profile looks there', async () => {
    const scene = new Scene({ files: { 'a.md': CANARY }, allow: ['read'] });
    const text = '<File path="a.md" />';
    expect(await scene.process().evaluateIn(new MemoryRun().open(), { text })).toMatchObject({ output: CANARY });
    for (const secrets of ['refuse', { files: 'refuse' }]) {
      const run = new MemoryRun();
      const end = await ended(scene.process({ profile: { secrets } }).evaluateIn(run.open(), { text }));
      expect(end.error?.code).toBe('ERR_XMD_SECRET');
      expect(everything(run, end)).not.toContain(CANARY);
    }
  });
});

describe('SC-13 a request of the profile', () => {
  it('that holds a secret is not recorded with an admission', async () => {
    const requests = [{ url: 'https://example.org/', headers: { authorization: `token ${CANARY}` } }];
    const scene = new Scene({ allow: ['read'], profile: { requests } });
    const run = new MemoryRun();
    const end = await ended(scene.process().evaluateIn(run.open(), { text: 'none' }));
    expect(end.error).toMatchObject({ code: 'ERR_XMD_SECRET', data: { within: 'policy', rule: GITHUB } });
    expect(everything(run, end)).not.toContain(CANARY);
    const ordinary = [{ url: 'https://example.org/', headers: { accept: 'text/plain' } }];
    const result = scene
      .process({ profile: { requests: ordinary } })
      .evaluateIn(new MemoryRun().open(), { text: 'none' });
    expect(await result).toMatchObject({ output: 'none' });
  });
});

describe('SC-01 what a profile states', () => {
  it.each([['some'], [{ fragment: true }], [{ other: 'off' }], [{ allow: 'x' }], [{ allow: [1] }], [['off']], [null]])(
    '%j is no policy for secrets',
    async (secrets) => {
      const scene = new Scene();
      expect(() => scene.process({ profile: { secrets } })).toThrow(/secrets are not what can be examined/);
    },
  );

  it('a rule that there is none of is no rule to allow', async () => {
    const scene = new Scene({ profile: { secrets: { allow: ['github'] } } });
    const run = new MemoryRun();
    expect((await ended(scene.process().evaluateIn(run.open(), { text: 'x' }))).error?.code).toBe('ERR_XMD_PROFILE');
    expect(run.keys()).toEqual([]);
  });
});
