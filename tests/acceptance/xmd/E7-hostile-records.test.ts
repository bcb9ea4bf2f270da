import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, NEVER_CANCELLED } from '@telorun/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Digests } from '../../../controllers/journal-sqlite/chain.ts';
import { openJournal } from '../../../controllers/journal-sqlite/index.ts';
import { findDriver } from '../../../controllers/journal-sqlite/open-database.ts';
import { JournaledRunHandle } from '../../../kernel/durable/run-handle.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { Scene } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const ADMISSION = 'steps/apply/generated_xmd';
const OUTCOME = `${ADMISSION}/outcome`;
const TEXT = 'Notes <File path="a.md" /><Dir path="d"><File path="b.md">B</File></Dir>';
const REFUSALS = new Set(['ERR_XMD_RECORD_UNREADABLE', 'ERR_XMD_POLICY_CHANGED', 'ERR_XMD_TEXT_CHANGED']);
const NOT_THAT: readonly unknown[] = [null, true, 0, -1, 1.5, '', 'x', [], {}, [null], { x: 1 }];

interface Mutation {
  readonly name: string;
  readonly value: unknown;
}

/** Every record that differs in one place: a member missing, more or of another kind, a list shorter, longer or turned. */
function* mutations(value: unknown, at = 'record'): Generator<Mutation> {
  for (const other of NOT_THAT) {
    if (!isSame(value, other)) yield { name: `${at} = ${JSON.stringify(other)}`, value: other };
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    yield { name: `${at} with one more`, value: [...items, items[0] ?? null] };
    if (items.length > 1) yield { name: `${at} turned`, value: items.toReversed() };
    for (const [index, item] of items.entries()) {
      yield { name: `${at} without [${String(index)}]`, value: items.toSpliced(index, 1) };
      for (const { name, value: one } of mutations(item, `${at}[${String(index)}]`)) {
        yield { name, value: items.toSpliced(index, 1, one) };
      }
    }
  } else if (typeof value === 'object' && value !== null) {
    yield { name: `${at} with one more`, value: { ...value, extra: 1 } };
    yield { name: `${at} with __proto__`, value: Object.fromEntries([...Object.entries(value), ['__proto__', {}]]) };
    for (const [member, inner] of Object.entries(value)) {
      const rest = Object.fromEntries(Object.entries(value).filter(([other]) => other !== member));
      yield { name: `${at} without ${member}`, value: rest };
      yield { name: `${at} with ${member} renamed`, value: { ...rest, [`${member}s`]: inner } };
      for (const { name, value: one } of mutations(inner, `${at}.${member}`)) {
        yield { name, value: { ...value, [member]: one } };
      }
    }
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

interface Genuine {
  readonly record: unknown;
  readonly at: string;
  readonly text?: string;
  readonly profile?: Readonly<Record<string, unknown>>;
  /** Whether the other records of the run are there, too. */
  readonly complete?: boolean;
  /** What resuming the unmodified record comes to; nothing when it goes on. */
  readonly code?: string;
  /** Changes that leave a record as genuine as it was: free text, and what is known nowhere else. */
  readonly free?: RegExp;
}

/** A scene with the record of `genuine`, changed to `record`, and what resuming it comes to. */
async function resume(genuine: Genuine, record: unknown, others: MemoryRun) {
  const { at, text = TEXT, profile = {} } = genuine;
  const scene = new Scene({ files: { 'a.md': 'a' }, allow: ['read', 'write'], profile });
  const run = new MemoryRun();
  if (genuine.complete === true) for (const [path, entry] of others.entries) run.entries.set(path, entry);
  const kind = at === OUTCOME ? { kind: 'step' as const } : { kind: 'decision' as const, decision: 'value' as const };
  run.entries.set(at, { path: at, ...kind, text: JSON.stringify(record) });
  const before = run.keys();
  let code: string | undefined;
  try {
    await scene.process().evaluateIn(run.open(), { text });
  } catch (error) {
    code = codeOf(error) ?? String(error);
  }
  return { code, calls: scene.calls, untouched: isSame(run.keys(), before), written: scene.get('d/b.md') };
}

async function completed(text = TEXT): Promise<MemoryRun> {
  const scene = new Scene({ files: { 'a.md': 'a' }, allow: ['read', 'write'] });
  const run = new MemoryRun();
  await scene
    .process()
    .evaluateIn(run.open(), { text })
    .catch(() => undefined);
  return run;
}

const IDENTITY = '@executablemd/core#File:read';
const LEGACY_TEXT = '<File path="a.md" />';
const LEGACY_WRITE = { name: 'File', identity: '@executablemd/core#File:write', forms: ['paired'] };
const LEGACY = {
  decision: 'admitted',
  source: LEGACY_TEXT,
  named: [{ name: 'File', identity: IDENTITY, form: 'self-closing' }],
  policy: {
    allow: ['read', 'write'],
    roots: ['r1', 'r2'],
    selectedRoot: 'r1',
    allowed: [
      { name: 'File', identity: IDENTITY, forms: ['self-closing'] },
      LEGACY_WRITE,
      { name: 'Dir', identity: '@executablemd/workflow/composition/dir-v2#Dir', forms: ['paired'] },
      { name: 'File.Delete', identity: '@executablemd/core#File.Delete', forms: ['self-closing'] },
    ],
    requests: [],
  },
};
const SECRET_TEXT = `key ${['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_')}`;

async function genuineRecords(): Promise<Readonly<Record<string, Genuine>>> {
  const done = await completed();
  const refused = await completed('<Other />');
  const secret = await completed(SECRET_TEXT);
  const failed = await completed('<File path="missing.md" />');
  return {
    'an admission': { record: done.value(ADMISSION), at: ADMISSION },
    'a refusal': { record: refused.value(ADMISSION), at: ADMISSION, text: '<Other />', code: 'ERR_XMD_REFUSED' },
    'a refusal for a secret': {
      record: secret.value(ADMISSION),
      at: ADMISSION,
      text: SECRET_TEXT,
      code: 'ERR_XMD_SECRET',
      free: /\.rule = "x"/,
    },
    'a completed outcome': {
      record: done.value(OUTCOME),
      at: OUTCOME,
      complete: true,
      // Literal text is on record here alone; the digest of a value that is not part of the result is not used.
      free: /record\.output|\.effects turned|\.effects\[[12]\]\[1\]/,
    },
    'a failed outcome': {
      record: failed.value(OUTCOME),
      at: OUTCOME,
      complete: true,
      text: '<File path="missing.md" />',
      code: 'ERR_XMD_EFFECT',
      free: /\.(?:code|message|effect) = "|\.data/,
    },
    'an admission of version 1': {
      record: LEGACY,
      at: ADMISSION,
      text: LEGACY_TEXT,
      profile: { retainedRoots: ['r1', 'r2'] },
      // Which of the retained roots was there, and in what order.
      free: /roots turned|roots without \[1\]/,
    },
    'a refusal of version 1': {
      record: { decision: 'refused', construct: 'block' },
      at: ADMISSION,
      code: 'ERR_XMD_REFUSED',
    },
  };
}

describe('E7 a hostile record', () => {
  it.each([
    'an admission',
    'a refusal',
    'a refusal for a secret',
    'a completed outcome',
    'a failed outcome',
    'an admission of version 1',
    'a refusal of version 1',
  ])('E7 %s that differs in any one place refuses and performs nothing; unmodified it resumes', async (kind) => {
    const genuine = (await genuineRecords())[kind];
    if (genuine === undefined) throw new TypeError('no such record');
    const others = await completed(genuine.text);
    const control = await resume(genuine, genuine.record, others);
    expect(control.code).toBe(genuine.code);
    const survivors: string[] = [];
    let tried = 0;
    for (const { name, value } of mutations(genuine.record)) {
      if (genuine.free?.test(name) === true) continue;
      tried += 1;
      const { code, calls, untouched, written } = await resume(genuine, value, others);
      const refused = REFUSALS.has(code ?? '') && calls.length === 0 && untouched && written === undefined;
      if (!refused) survivors.push(`${name}: ${String(code)} ${calls.join(',')}`);
    }
    expect(survivors).toEqual([]);
    expect(tried).toBeGreaterThan(20);
  });
});

async function journalOf(change: ((record: Record<string, unknown>) => unknown) | undefined, recompute: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'runs.db');
  const journal = await openJournal({ file });
  await journal.admitRun('r');
  await journal.claimRun('r', 'h', 60_000);
  const seed = await completed();
  const value = seed.value(ADMISSION);
  await journal.append('r', { path: ADMISSION, kind: 'decision', decision: 'value', value });
  await journal.releaseRun('r');
  journal.close();
  if (change !== undefined) {
    const text = JSON.stringify(change(Object.fromEntries(Object.entries(value ?? {}))));
    const database = (await findDriver(file)).open(file, 0);
    database.prepare('UPDATE entries SET value = :text WHERE path = :path').run({ text, path: ADMISSION });
    const identity = String(database.prepare('SELECT identity FROM journal').get()?.['identity']);
    const link = { place: 1, path: ADMISSION, kind: 6, target: null, value: text };
    const digest = new Digests(identity, undefined).chain('r').with([link]).head;
    if (recompute)
      database.prepare('UPDATE entries SET digest = :digest WHERE path = :path').run({ digest, path: ADMISSION });
    database.close();
  }
  const scene = new Scene({ files: { 'a.md': 'a' }, allow: ['read', 'write'] });
  const again = await openJournal({ file });
  onTestFinished(() => again.close());
  await again.claimRun('r', 'i', 60_000);
  const work = async () => {
    const handle = await JournaledRunHandle.open({
      run: 'r',
      journal: again,
      cancellation: NEVER_CANCELLED,
      emit: () => undefined,
    });
    return scene.process().evaluateIn(handle, { text: TEXT });
  };
  return { scene, work };
}
const failureOf = async (work: () => Promise<unknown>) => {
  try {
    return { value: await work() };
  } catch (error) {
    return { code: codeOf(error) };
  }
};

it('A-23 an outcome that leaves out a read, or lists it twice, is unreadable', async () => {
  const others = await completed();
  const outcome = Object(others.value(OUTCOME));
  for (const observations of [[], [...outcome.observations, ...outcome.observations]]) {
    const { code, calls } = await resume(
      { record: outcome, at: OUTCOME, complete: true },
      { ...outcome, observations },
      others,
    );
    expect({ code, calls }).toEqual({ code: 'ERR_XMD_RECORD_UNREADABLE', calls: [] });
  }
});

describe('E7 a hostile record in the SQLite journal', () => {
  it('E7 resumes when it is the one recorded', async () => {
    const { scene, work } = await journalOf(undefined, false);
    expect(await failureOf(work)).toMatchObject({ value: { output: 'Notes a' } });
    expect(scene.get('d/b.md')).toBe('B');
  });

  it.each<[string, (record: Record<string, unknown>) => unknown, string]>([
    ['another text', (record) => ({ ...record, text: '<File.Delete path="a.md" />' }), 'ERR_XMD_TEXT_CHANGED'],
    [
      'a wider policy',
      (record) => ({ ...record, policy: { ...Object(record['policy']), root: '/' } }),
      'ERR_XMD_POLICY_CHANGED',
    ],
    ['one member more', (record) => ({ ...record, extra: true }), 'ERR_XMD_RECORD_UNREADABLE'],
    ['version 1', (record) => ({ ...record, version: 1 }), 'ERR_XMD_RECORD_UNREADABLE'],
  ])(
    'E7 with %s is found when the run is read, and by its reader when every digest was made anew',
    async (_n, change, code) => {
      for (const recompute of [false, true]) {
        const { scene, work } = await journalOf(change, recompute);
        expect(await failureOf(work)).toEqual({ code: recompute ? code : 'ERR_DURABLE_JOURNAL_CORRUPT' });
        expect(scene.calls).toEqual([]);
        expect(scene.get('d/b.md')).toBeUndefined();
      }
    },
  );

  it('E7 at each thirtieth of all places of the admission refuses, too, when every digest was made anew', async () => {
    const admission = (await completed()).value(ADMISSION);
    const survivors: string[] = [];
    let tried = 0;
    for (const [index, { name, value }] of [...mutations(admission)].entries()) {
      if (index % 30 !== 3) continue;
      tried += 1;
      const { scene, work } = await journalOf(() => value, true);
      const { code } = await failureOf(work);
      if (!REFUSALS.has(String(code)) || scene.calls.length > 0) survivors.push(`${name}: ${String(code)}`);
    }
    expect(survivors).toEqual([]);
    expect(tried).toBeGreaterThan(20);
  });
});
