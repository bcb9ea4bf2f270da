import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { claimed, codeOf, directoryOf, entry, failure, header, makeDirectory, open, plant, textOf } from './fixture.ts';

describe("Telo's format, written", () => {
  it('JF-01 one file a run, named after it, in a folder that is private when it is made; nothing else is in it', async () => {
    const journal = open();
    await journal.admitRun('order:K-1');
    await journal.admitRun('a/../b %');
    const folder = directoryOf(journal);
    expect(readdirSync(folder).toSorted()).toEqual(['a%2F..%2Fb%20%25.ndjson', 'order%3AK-1.ndjson']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(`${folder}/order%3AK-1.ndjson`).mode & 0o777).toBe(0o600);
    expect((await journal.listRuns()).map(({ run }) => run).toSorted()).toEqual(['a/../b %', 'order:K-1']);
    expect(journal.files).toEqual([folder, `${folder}.xmd`]);
  });

  it('JF-01 an id that no file can be named after is refused, and makes none', async () => {
    const journal = open();
    for (const run of ['x'.repeat(241), '\ud800', 'ü'.repeat(100)]) {
      expect(await codeOf(() => journal.admitRun(run))).toBe('ERR_DURABLE_RUN_ID_INVALID');
    }
    expect(readdirSync(directoryOf(journal))).toEqual([]);
    expect(await journal.admitRun('x'.repeat(240))).toEqual({ admitted: true });
  });

  it('JF-01 a folder is not made where that is not asked for, and reading makes no second one', async () => {
    const directory = makeDirectory();
    expect(await codeOf(() => open(directory, { create: false }))).toBe('ERR_DURABLE_JOURNAL_NOT_FOUND');
    mkdirSync(directory);
    plant(directory, 'r', [header(), entry('a', 1)]);
    const journal = open(directory, { create: false });
    expect(await journal.readEntries('r')).toEqual([{ path: 'a', kind: 'step', value: 1 }]);
    expect(await journal.listRuns()).toHaveLength(1);
    expect(existsSync(`${directory}.xmd`)).toBe(false);
  });

  it('JF-02 writes exactly the lines and members that a Telo kernel writes', async () => {
    const journal = await claimed('order:K-1');
    await journal.append('order:K-1', { path: 'inputs', kind: 'decision', decision: 'inputs', value: { k: 1 } });
    const target = { kind: 'Run.Value', name: 'one', module: 'Orders' };
    await journal.append('order:K-1', { path: 'steps/one', kind: 'step', target, value: null });
    await journal.append('order:K-1', { path: 'steps/two', kind: 'step' });
    await journal.recordWait('order:K-1', { path: 'steps/w', resource: 'ask', token: 't-1', at: 9_000_000_000_000 });
    await journal.suspendRun('order:K-1');
    await journal.answer({ token: 't-1' }, { yes: true });
    await journal.claimRun('order:K-1', 'h2', 60_000);
    const done = { status: 'completed' as const, result: { steps: {} }, collapsedRegions: 0, collapseReasons: [] };
    await journal.completeRun('order:K-1', done);
    const run = '"type":"run","run":"order:K-1"';
    expect(textOf(journal, 'order:K-1').split('\n')).toEqual([
      `{${run},"status":"running"}`,
      '{"type":"entry","entry":{"path":"inputs","kind":"decision","decision":"inputs","value":{"k":1}}}',
      '{"type":"entry","entry":{"path":"steps/one","kind":"step","value":null,"target":{"kind":"Run.Value","name":"one"}}}',
      '{"type":"entry","entry":{"path":"steps/two","kind":"step"}}',
      `{${run},"status":"parked","parked":{"path":"steps/w","resource":"ask","at":9000000000000,"token":"t-1"},"dueAt":9000000000000}`,
      '{"type":"entry","entry":{"path":"steps/w","kind":"step","value":{"yes":true}}}',
      `{${run},"status":"running"}`,
      `{${run},"status":"completed","result":{"steps":{}},"collapsedRegions":0,"collapseReasons":[]}`,
      '',
    ]);
  });

  it('JF-02 how a run fails and is cancelled; what is not of Telo comes back all the same', async () => {
    const journal = await claimed();
    const error = { code: 'E', message: 'no', data: { n: 5n } };
    await journal.completeRun('r', { status: 'failed', error });
    await journal.admitRun('c', { status: 'scheduled', dueAt: 5, inputs: { a: 1 } });
    await journal.cancelRun('c', 'enough');
    expect(textOf(journal)).toContain(
      '{"type":"run","run":"r","status":"failed","error":{"code":"E","message":"no"}}\n',
    );
    expect(textOf(journal, 'c').split('\n').slice(0, 2)).toEqual([
      '{"type":"run","run":"c","status":"scheduled","inputs":{"a":1},"dueAt":5}',
      '{"type":"run","run":"c","status":"cancelled","error":{"code":"ERR_DURABLE_RUN_CANCELLED","message":"enough"}}',
    ]);
    expect(await open(directoryOf(journal)).readRun('r')).toMatchObject({ status: 'failed', error });
    expect(await journal.readRun('c')).toMatchObject({ status: 'cancelled', inputs: { a: 1 } });
  });

  it('JF-02 a run that waits as it did before leaves no new line', async () => {
    const journal = await claimed();
    const wait = { path: 'w', resource: 'ask', token: 'token-of-w' };
    await journal.recordWait('r', wait);
    await journal.suspendRun('r');
    const before = textOf(journal);
    await journal.claimRun('r', 'h', 60_000);
    await journal.recordWait('r', wait);
    await journal.suspendRun('r');
    expect(textOf(journal)).toBe(before);
    expect(await journal.readRun('r')).toMatchObject({ status: 'parked', claimed: false });
  });

  it('JF-07 integers are digits there and themselves here, in this and in the next process', async () => {
    const journal = await claimed();
    const value = {
      big: 12_345_678_901_234_567_890n,
      small: 41n,
      plain: 41,
      text: 'integer:1',
      like: { $bigint: '5' },
    };
    const stored = await journal.append('r', { path: 'a', kind: 'step', value });
    expect(stored.value).toEqual(value);
    expect(textOf(journal)).toContain(
      '"value":{"big":12345678901234567890,"small":41,"plain":41,"text":"integer:1","like":{"$bigint":"5"}}',
    );
    expect((await open(directoryOf(journal)).readEntries('r')).map((one) => one.value)).toEqual([value]);
    await journal.completeRun('r', { status: 'completed', result: { n: 7n } });
    expect((await open(directoryOf(journal)).readRun('r'))?.result).toEqual({ n: 7n });
  });

  it('JF-07 the module of a target stays beside the file, where a Telo kernel would take it for a URL', async () => {
    const journal = await claimed();
    const target = { kind: 'Run.Value', name: 'v', module: 'Orders' };
    const foreign = { ...target, module: 'file:///srv/telo.yaml' };
    expect((await journal.append('r', { path: 'a', kind: 'step', target })).target).toEqual(target);
    await journal.append('r', { path: 'b', kind: 'step', target: foreign });
    expect(textOf(journal)).toContain('"target":{"kind":"Run.Value","name":"v"}}');
    expect(textOf(journal)).toContain('"module":"file:///srv/telo.yaml"');
    const again = await open(directoryOf(journal)).readEntries('r');
    expect(again.map((one) => one.target)).toEqual([target, foreign]);
  });

  it('JF-02 what JSON cannot write is refused, and nothing is written', async () => {
    const journal = await claimed();
    const before = textOf(journal);
    const circle: unknown[] = [];
    circle.push(circle);
    expect(await failure(() => journal.append('r', { path: 'a', kind: 'step', value: circle }))).toMatchObject({
      code: 'ERR_DURABLE_UNJOURNALABLE_VALUE',
      data: { run: 'r', path: 'a' },
    });
    expect(textOf(journal)).toBe(before);
  });
});
