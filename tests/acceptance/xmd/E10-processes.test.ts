import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place, ROOT } from '../../cli/command-line.ts';

/** Calls log what they do; Hang goes on until it is stopped, and then takes its time to put things in order. */
const CODE = `
import { appendFileSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
const log = (line) => appendFileSync(process.env.CALLS, line + '\\n');
export const Mark = { create: (resource) => ({ invoke: async () => (log(resource.metadata.name), 'marked') }) };
export const Hang = {
  create: () => ({
    invoke: async (_inputs, context) => {
      log('hang');
      if (process.env.RELEASED === '1') return 'released';
      const stopped = new Promise((resolve) => context.cancellation.onCancelled(resolve));
      const alive = setInterval(() => undefined, 1000);
      process.stderr.write('hanging\\n');
      await stopped;
      log('stopping');
      for (let turn = 0; turn < 20; turn += 1) await later(10);
      clearInterval(alive);
      log('torn down');
      throw new Error('gave up half way');
    },
  }),
};
`;

const LIBRARY = `
kind: Telo.Library
metadata: { name: Calls, version: 1.0.0 }
exports: { kinds: [Mark, Hang] }
---
kind: Telo.Definition
metadata: { name: Mark }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./calls.mjs#Mark']
---
kind: Telo.Definition
metadata: { name: Hang }
capability: Telo.Invocable
controllers: ['pkg:telo/local/js?path=./calls.mjs#Hang']
`;

const MANIFEST = `
kind: Telo.Application
metadata: { name: Stopped, version: 1.0.0 }
imports:
  DurableLocal: oci://ghcr.io/telorun/durable-local@0.2.0
  DurableJournalSqlite: ${ROOT}/manifests/durable-journal-sqlite
  Xmd: ${ROOT}/manifests/xmd
  Calls: ./calls
---
kind: DurableJournalSqlite.Journal
metadata: { name: runs }
---
kind: Calls.Mark
metadata: { name: before }
---
kind: Calls.Hang
metadata: { name: hang }
---
kind: Calls.Mark
metadata: { name: after }
---
kind: Xmd.Profile
metadata: { name: files }
root: ./files
grants: [read, write]
operations:
  - { name: Before, form: self-closing, grant: read, revision: '1', invoke: !ref before }
  - { name: Hang, form: self-closing, grant: read, revision: '1', invoke: !ref hang }
  - { name: Pay, form: self-closing, grant: write, revision: '1', inDoubt: refuse, invoke: !ref hang }
  - { name: After, form: self-closing, grant: read, revision: '1', invoke: !ref after }
---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref files
allow: [read, write]
---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
  - { name: apply, invoke: !ref apply, inputs: { text: !cel inputs.text } }
`;

const around = (element: string): string =>
  `<File path="first.txt">1</File><Before /><${element} /><File path="late.txt">late</File><After />`;

describe('E10 cancelling across processes', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place({ CALLS: '' });
    place.write('app/calls/telo.yaml', LIBRARY);
    place.write('app/calls/calls.mjs', CODE);
    place.write('app/files/notes.md', '');
    place.write('app/telo.yaml', MANIFEST);
  });
  afterEach(() => place.remove());

  const env = (more: Readonly<Record<string, string>> = {}) => ({ env: { CALLS: place.path('calls.log'), ...more } });
  const calls = (): readonly string[] => readFileSync(place.path('calls.log'), 'utf8').trim().split('\n');
  const hanging = async (element: string) => {
    const inputs = JSON.stringify({ text: around(element) });
    const running = place.start(['run', 'app', '--workflow', 'flow', '--run-id', 'r', '--inputs', inputs], env());
    await running.said('hanging');
    return running;
  };
  /** What must hold when a run was stopped in the middle of its call. */
  const expectStopped = (): void => {
    expect(calls()).toEqual(['before', 'hang', 'stopping', 'torn down']);
    expect(existsSync(place.path('app/files/first.txt'))).toBe(true);
    expect(existsSync(place.path('app/files/late.txt'))).toBe(false);
  };

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'E10 %s stops the effect, waits for its teardown, settles nothing, and a later process goes on behind what is recorded',
    async (signal) => {
      const running = await hanging('Hang');
      running.kill(signal);
      expect((await running.ended).code).toBe(130);
      expectStopped();
      expect(await place.json(['runs'])).toMatchObject({ value: { runs: [{ status: 'running', claimed: false }] } });

      expect(await place.run(['resume', 'r'], env({ RELEASED: '1' }))).toMatchObject({ code: 0 });
      expect(calls().slice(4)).toEqual(['hang', 'after']);
      expect(readFileSync(place.path('app/files/late.txt'), 'utf8')).toBe('late');
    },
  );

  it('E10 a write that was stopped half way is in doubt: no later process passes it before a person decides', async () => {
    const running = await hanging('Pay');
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(130);
    expectStopped();

    expect(await place.run(['resume', 'r'], env({ RELEASED: '1' }))).toMatchObject({ code: 2 });
    expectStopped();
    expect(await place.run(['resume', 'r', '--doubt', 'done'], env({ RELEASED: '1' }))).toMatchObject({ code: 0 });
    expect(calls().slice(4)).toEqual(['after']);
  });

  it('E10 a cancel by another process stops the effect, its teardown is waited for, and nothing goes on ever after', async () => {
    const running = await hanging('Hang');
    expect(await place.run(['cancel', 'r'], env())).toMatchObject({ code: 0 });
    // It learns of it when it renews its claim.
    const ended = await running.ended;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('The run was cancelled.  ERR_DURABLE_RUN_CANCELLED');
    expectStopped();

    const resumed = await place.run(['resume', 'r'], env({ RELEASED: '1' }));
    expect(resumed.stderr).toContain('The run was cancelled.  ERR_DURABLE_RUN_CANCELLED');
    expect(resumed.code).toBe(1);
    expectStopped();
  });
});
