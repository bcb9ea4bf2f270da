import type { FencedJournal, JournalEntry } from '@telorun/sdk/journal';
import type { CaseDefinition } from '../case.ts';
import { equal, matches, refuses, thrownBy } from '../expect.ts';
import type { Stage } from '../stage.ts';
import { codeOf } from '@telorun/sdk';
import { RUN } from '../stage.ts';

const CLAIM_MS = 60_000;
const CHECKS_MAX = 200;
const CHECK_MS = 5;
const LOST = 'ERR_DURABLE_CLAIM_LOST';

/** A journal with one run, claimed. */
export async function claimed(stage: Stage, run = RUN, holder = 'one'): Promise<FencedJournal> {
  const journal = await stage.journal();
  await journal.admitRun(run, { inputs: { version: '1.0.0' } });
  equal(await journal.claimRun(run, holder, CLAIM_MS), true, `whether "${holder}" may claim a free run`);
  return journal;
}

function entry(path: string, value?: unknown): JournalEntry {
  return value === undefined ? { path, kind: 'step' } : { path, kind: 'step', value };
}

/** Every way to write through a claim, after it was lost. */
function writes(journal: FencedJournal): readonly (readonly [string, () => unknown])[] {
  return [
    ['append', () => journal.append(RUN, entry('steps/late', 'late'))],
    ['recordWait', () => journal.recordWait(RUN, { path: 'steps/late', resource: 'approval' })],
    ['closeWait', () => journal.closeWait(RUN, 'steps/late')],
    ['suspendRun', () => journal.suspendRun(RUN)],
    ['completeRun', () => journal.completeRun(RUN, { status: 'completed', result: 'late' })],
    ['checkClaim', () => checkedAtLast(journal)],
  ];
}

/** A claim may be checked without the store for a moment after a write: asks until it has been asked. */
async function checkedAtLast(journal: FencedJournal): Promise<void> {
  for (let turn = 0; turn < CHECKS_MAX; turn += 1) {
    journal.checkClaim(RUN);
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
}

/** Stores: runs, entries and claims. */
export const storeRuns: readonly CaseDefinition[] = [
  {
    id: 'J-admission',
    title: 'admits a run once, of two that ask at the same time; the other is shown it',
    needs: ['store'],
    run: async (stage) => {
      const journals = [await stage.journal(), await stage.journal()];
      const answers = await Promise.all(journals.map((journal, index) => journal.admitRun(RUN, { inputs: { index } })));
      const admitted = answers.filter((answer) => answer.admitted).length;
      equal(admitted, 1, 'how many of two callers admitted the run');
      const first = answers.findIndex((answer) => answer.admitted);
      const shown = answers.find((answer) => !answer.admitted)?.existing;
      matches(shown, { run: RUN, status: 'running', inputs: { index: first } }, 'the record that the other was shown');
    },
  },
  {
    id: 'J-settles',
    title: 'keeps how a run ended, with its result or its error, and takes nothing more for it',
    needs: ['store'],
    run: async (stage) => {
      const outcomes = [
        { status: 'completed', result: { steps: { a: { result: [1, null] } } } },
        { status: 'failed', error: { code: 'ERR_TEST', message: 'as stated' } },
      ] as const;
      for (const [index, outcome] of outcomes.entries()) {
        const run = `${RUN}-${index}`;
        const journal = await claimed(stage, run);
        await journal.append(run, entry('steps/a', 1));
        await journal.completeRun(run, outcome);
        const other = await stage.journal();
        matches(
          await other.readRun(run),
          { run, inputs: { version: '1.0.0' }, ...outcome },
          'the record of a settled run',
        );
        equal(await other.claimRun(run, 'two', CLAIM_MS), false, 'whether a settled run can be claimed');
        await refuses(() => journal.append(run, entry('steps/b', 2)), LOST, 'an append to a settled run');
        equal((await other.readEntries(run)).length, 1, 'entries of a settled run');
      }
    },
  },
  {
    id: 'J-first-writer',
    title: 'keeps the first writer of a path and answers every writer what it wrote',
    needs: ['store'],
    run: async (stage) => {
      const target = { kind: 'Test.Effect', name: 'effect', module: 'Tests' };
      const first: JournalEntry = { path: 'steps/a', kind: 'step', target, value: { n: 1 } };
      const journal = await claimed(stage);
      equal(await journal.append(RUN, first), first, 'the answer to the first writer');
      equal(await journal.append(RUN, { ...first, value: { n: 2 } }), first, 'the answer to a second writer');
      const other = await claimed(stage);
      equal(await other.append(RUN, entry('steps/a', 'three')), first, 'the answer to a writer of another process');
      equal(await other.readEntries(RUN), [first], 'entries on record');
    },
  },
  {
    id: 'J-order',
    title: 'lists entries in the order of writing, all of them, to every process',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      const entries = Array.from({ length: 120 }, (_, index) => entry(`steps/each[${119 - index}]`, index));
      for (const one of entries) await journal.append(RUN, one);
      equal(await journal.readEntries(RUN), entries, 'entries for the process that wrote them');
      equal(await (await stage.journal()).readEntries(RUN), entries, 'entries for another process');
      equal(await journal.readEntries('conformance:other'), [], 'entries of another run');
    },
  },
  {
    id: 'J-entries',
    title: 'keeps an entry whole: kind, decision, target, and no value apart from null',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      const entries: readonly JournalEntry[] = [
        { path: 'inputs', kind: 'decision', decision: 'inputs', value: { a: [] } },
        { path: 'steps/a/when', kind: 'decision', decision: 'predicate', value: false },
        { path: 'steps/a', kind: 'step', target: { kind: 'Test.Effect', name: 'effect' }, value: null },
        { path: 'steps/b', kind: 'step', target: { kind: 'Test.Effect', name: 'effect', module: 'Tests' }, value: '' },
        { path: 'steps/c', kind: 'step' },
      ];
      const answers: JournalEntry[] = [];
      for (const one of entries) answers.push(shapeOf(await journal.append(RUN, one)));
      equal(answers, entries, 'the answers to the writer');
      equal((await (await stage.journal()).readEntries(RUN)).map(shapeOf), entries, 'entries for another process');
    },
  },
  {
    id: 'J-claim',
    title: 'gives a run to one holder at a time, until it is given back',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      const other = await stage.journal();
      equal(
        await other.claimRun(RUN, 'two', CLAIM_MS),
        false,
        'whether another holder may claim a run that is claimed',
      );
      journal.checkClaim(RUN);
      equal(await journal.renewClaim(RUN), true, 'whether the holder may renew');
      await journal.releaseRun(RUN, { code: 'ERR_TEST', message: 'why it stopped' });
      matches(await other.readRun(RUN), { status: 'running' }, 'a run that was given back');
      equal((await other.readRun(RUN))?.problem?.code, 'ERR_TEST', 'why it was given back');
      equal(await other.claimRun(RUN, 'two', CLAIM_MS), true, 'whether another holder may claim it then');
      equal(await journal.renewClaim(RUN), false, 'whether the former holder may still renew');
    },
  },
  {
    id: 'J-unclaimed',
    title: 'takes no entry from a process without the claim, and none for a run that is not known',
    needs: ['store'],
    run: async (stage) => {
      await claimed(stage);
      const other = await stage.journal();
      await refuses(() => other.append(RUN, entry('steps/a', 1)), LOST, 'an append without the claim');
      await thrownBy(() => other.append('conformance:unknown', entry('steps/a', 1)), 'an append to an unknown run');
      equal(await other.claimRun('conformance:unknown', 'two', CLAIM_MS), false, 'whether an unknown run is claimed');
      equal(await other.readRun('conformance:unknown'), undefined, 'the record of an unknown run');
      equal(await other.readEntries(RUN), [], 'entries on record');
    },
  },
  {
    id: 'J-fence',
    title: 'refuses every write through a claim that another process has taken, and changes nothing',
    needs: ['store'],
    run: async (stage) => {
      const old = await claimed(stage);
      await old.append(RUN, entry('steps/a', 1));
      const next = await claimed(stage);
      for (const [name, write] of writes(old)) await refuses(write, LOST, `${name} through the old claim`);
      equal(await old.renewClaim(RUN), false, 'whether the old claim can be renewed');
      equal(await next.readEntries(RUN), [entry('steps/a', 1)], 'entries on record');
      matches(await next.readRun(RUN), { status: 'running' }, 'the run');
      equal((await next.readWaits(RUN)).length, 0, 'waits on record');
      await next.append(RUN, entry('steps/b', 2));
      next.checkClaim(RUN);
    },
  },
  {
    id: 'J-cancel',
    title: 'cancels whoever’s run it is, once: its claim is taken away',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      const other = await stage.journal();
      equal(await other.cancelRun(RUN, 'no longer wanted'), true, 'whether another process may cancel');
      for (const [name, write] of writes(journal)) await refuses(write, LOST, `${name} after the run was cancelled`);
      matches(await other.readRun(RUN), { status: 'cancelled' }, 'the run');
      equal(await other.cancelRun(RUN), false, 'whether a cancelled run can be cancelled');
      equal(await other.cancelRun('conformance:unknown'), false, 'whether an unknown run can be cancelled');
    },
  },
  {
    id: 'J-lists',
    title: 'lists runs, all of them or those of a status, and those that are due',
    needs: ['store'],
    run: async (stage) => {
      const nowMs = Date.now();
      const laterMs = nowMs + CLAIM_MS / 2;
      const journal = await claimed(stage, 'conformance:claimed');
      await journal.admitRun('conformance:free');
      await journal.admitRun('conformance:later', { status: 'scheduled', dueAt: laterMs });
      await claimed(stage, 'conformance:done').then((done) =>
        done.completeRun('conformance:done', { status: 'completed', result: 1 }),
      );
      const names = async (filter?: Parameters<FencedJournal['listRuns']>[0]): Promise<readonly string[]> =>
        (await journal.listRuns(filter)).map(({ run }) => run.replace('conformance:', '')).toSorted();
      equal(await names(), ['claimed', 'done', 'free', 'later'], 'runs');
      equal(await names({ status: 'completed' }), ['done'], 'runs that completed');
      equal((await names({ limit: 2 })).length, 2, 'runs, two at the most');
      equal(await journal.dueRuns(nowMs, 10), ['conformance:free'], 'runs that are due now');
      equal(
        [...(await journal.dueRuns(laterMs, 10))].toSorted(),
        ['conformance:free', 'conformance:later'],
        'runs that are due then, without the one that is claimed',
      );
    },
  },
  {
    id: 'J-torn',
    title: 'answers a whole prefix of what was written, or refuses the journal, after a write was torn',
    needs: ['store', 'tearing'],
    run: async (stage) => {
      const journal = await claimed(stage);
      const entries = Array.from({ length: 6 }, (_, index) =>
        entry(`steps/each[${index}]`, { text: 'x'.repeat(200), index }),
      );
      for (const one of entries) await journal.append(RUN, one);
      journal.close();
      await stage.tear();
      const found = await readTorn(stage);
      if (found === undefined) return;
      equal(found, entries.slice(0, found.length), 'entries after a torn write');
      equal(found.length < entries.length, true, 'whether the torn entry is gone');
      const next = await claimed(stage);
      await next.append(RUN, entry('steps/next', 'next'));
      equal((await next.readEntries(RUN)).length, found.length + 1, 'entries after the run has gone on');
    },
  },
];

/** An entry with the members that every store has. Pure. */
function shapeOf({ path, kind, decision, target, value }: JournalEntry): JournalEntry {
  return {
    path,
    kind,
    ...(decision === undefined ? {} : { decision }),
    ...(target === undefined ? {} : { target }),
    ...(value === undefined ? {} : { value }),
  };
}

/** The entries of a run whose journal was torn; undefined where the journal refuses as it may. */
async function readTorn(stage: Stage): Promise<readonly JournalEntry[] | undefined> {
  try {
    return await (await stage.journal()).readEntries(RUN);
  } catch (error) {
    // A refusal in the words of the contract is an answer; anything else is a finding.
    if (codeOf(error)?.startsWith('ERR_DURABLE_JOURNAL_') === true) return undefined;
    throw error;
  }
}
