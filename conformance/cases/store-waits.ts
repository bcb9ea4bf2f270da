import type { FencedJournal, Wait } from '@telorun/sdk/journal';
import type { CaseDefinition } from '../case.ts';
import { equal, matches } from '../expect.ts';
import type { Stage } from '../stage.ts';
import { RUN } from '../stage.ts';
import { claimed } from './store-runs.ts';

const ASK = 'steps/ask';
const FAR = 5_000_000_000_000;

function waitAt(path: string, more: Partial<Wait> = {}): Wait {
  return { path, resource: 'approval', token: `token ${path}`, ...more };
}

/** A run that waits, its body unwound. */
async function suspended(stage: Stage, waits: readonly Wait[], run = RUN): Promise<FencedJournal> {
  const journal = await claimed(stage, run);
  for (const wait of waits) await journal.recordWait(run, wait);
  await journal.suspendRun(run);
  return stage.journal();
}

type Selector = Parameters<FencedJournal['answer']>[0];

const both = (run: string, path: string): Selector => ({ run, path });
const runAlone = (run: string): Selector => ({ run });
const byToken = (_run: string, path: string): Selector => ({ token: `token ${path}` });

/** Stores: waits and answers. */
export const storeWaits: readonly CaseDefinition[] = [
  {
    id: 'J-wait',
    title: 'records a wait and keeps claim and status, until the body has unwound',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      const wait = waitAt(ASK, { at: FAR, schema: { type: 'string' }, request: { question: 'publish?' } });
      matches(await journal.recordWait(RUN, wait), { ...wait, run: RUN, state: 'open' }, 'the wait');
      matches(await journal.readRun(RUN), { status: 'running' }, 'a run whose body has not unwound');
      journal.checkClaim(RUN);
      matches(await journal.suspendRun(RUN), { status: 'parked', dueAt: FAR }, 'the run when it has');
      const other = await stage.journal();
      const record = await other.readRun(RUN);
      matches(record?.parked, { path: ASK, resource: 'approval', token: `token ${ASK}` }, 'where it is parked');
      matches((await other.readWaits(RUN))[0], { ...wait, run: RUN, state: 'open' }, 'the wait for another process');
      equal(await other.claimRun(RUN, 'two', 60_000), true, 'whether another holder may claim a parked run');
    },
  },
  {
    id: 'J-answer',
    title: 'gives an answer to the wait of a run and path, or of a token: entry, wait and status at once',
    needs: ['store'],
    run: async (stage) => {
      for (const [index, select] of [both, runAlone, byToken].entries()) {
        const run = `${RUN}-${index}`;
        const path = `${ASK}[${index}]`;
        const other = await suspended(stage, [waitAt(path)], run);
        const selector = select(run, path);
        equal(await other.answer(selector, { yes: 1 }), { delivered: true, run, path }, 'the receipt');
        equal(await other.readEntries(run), [{ path, kind: 'step', value: { yes: 1 } }], 'entries on record');
        matches((await other.readWaits(run))[0], { state: 'answered' }, 'the wait');
        matches(await other.readRun(run), { status: 'running' }, 'the run');
        equal((await other.dueRuns(Date.now(), 10)).includes(run), true, 'whether the run is due');
        matches(
          await other.answer(selector, 'again'),
          { delivered: false, reason: 'already-answered' },
          'a second answer',
        );
        equal((await other.readEntries(run))[0]?.value, { yes: 1 }, 'the answer on record');
      }
    },
  },
  {
    id: 'J-nobody-waits',
    title: 'refuses an answer that nobody waits for, says why, and changes nothing',
    needs: ['store'],
    run: async (stage) => {
      const other = await suspended(stage, [waitAt(ASK)]);
      const unknown = [
        await other.answer({ token: 'unknown' }, 1),
        await other.answer({ run: RUN, path: 'steps/other' }, 1),
        await other.answer({ run: 'conformance:unknown' }, 1),
      ];
      equal(
        unknown.map((receipt) => receipt.delivered),
        [false, false, false],
        'answers to an unknown token, path and run',
      );
      equal(await other.readEntries(RUN), [], 'entries on record');
      matches(await other.readRun(RUN), { status: 'parked' }, 'the run');
      await other.cancelRun(RUN);
      matches(await other.answer({ run: RUN, path: ASK }, 1), { delivered: false }, 'an answer to a settled run');
      equal(await other.readEntries(RUN), [], 'entries of a settled run');
    },
  },
  {
    id: 'J-schema',
    title: 'hands the recorded schema to the validator, and keeps a wait open whose answer it refuses',
    needs: ['store'],
    run: async (stage) => {
      const other = await suspended(stage, [waitAt(ASK, { schema: { type: 'string' } })]);
      const validate = (schema: unknown, payload: unknown): readonly string[] =>
        typeof payload === Reflect.get(Object(schema), 'type') ? [] : ['it is no text'];
      const refused = await other.answer({ run: RUN, path: ASK }, 1, validate);
      matches(
        refused,
        { delivered: false, reason: 'schema', problems: ['it is no text'] },
        'an answer against the schema',
      );
      equal(await other.readEntries(RUN), [], 'entries on record');
      const taken = await other.answer({ run: RUN, path: ASK }, 'yes', validate);
      equal(taken, { delivered: true, run: RUN, path: ASK }, 'an answer that fits the schema');
    },
  },
  {
    id: 'J-many-waits',
    title: 'holds many waits of a run, answers each for itself, and a run alone names none of several',
    needs: ['store', 'many-waits'],
    run: async (stage) => {
      const paths = ['steps/a', 'steps/b', 'steps/c'];
      const other = await suspended(
        stage,
        paths.map((path) => waitAt(path)),
      );
      matches(await other.answer({ run: RUN }, 'x'), { delivered: false, reason: 'several-open-waits' }, 'a run alone');
      for (const path of ['steps/c', 'steps/a', 'steps/b']) {
        equal(
          await other.answer({ token: `token ${path}` }, path),
          { delivered: true, run: RUN, path },
          `the answer at ${path}`,
        );
      }
      const states = (await other.readWaits(RUN)).map(({ path, state }) => `${path} ${state}`).toSorted();
      equal(
        states,
        paths.map((path) => `${path} answered`),
        'the waits',
      );
    },
  },
  {
    id: 'J-timeout',
    title: 'lets one win, of an answer and the end of a wait',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      await journal.recordWait(RUN, waitAt('steps/a'));
      await journal.recordWait(RUN, waitAt('steps/b'));
      const other = await stage.journal();
      equal(await journal.closeWait(RUN, 'steps/a'), 'closed', 'the end of a wait that nobody answered');
      matches(
        await other.answer({ run: RUN, path: 'steps/a' }, 1),
        { delivered: false, reason: 'closed' },
        'an answer after it',
      );
      matches(await other.answer({ run: RUN, path: 'steps/b' }, 2), { delivered: true }, 'an answer before the end');
      equal(await journal.closeWait(RUN, 'steps/b'), 'answered', 'the end of a wait that is answered');
      equal(await journal.readEntries(RUN), [{ path: 'steps/b', kind: 'step', value: 2 }], 'entries on record');
    },
  },
  {
    id: 'J-due',
    title: 'makes a run due at the earliest instant it waits for, at once where that has passed',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      await journal.recordWait(RUN, { path: 'steps/late', resource: 'sleep', at: FAR });
      await journal.recordWait(RUN, { path: 'steps/early', resource: 'sleep', at: FAR - 1_000 });
      matches(await journal.suspendRun(RUN), { status: 'parked', dueAt: FAR - 1_000 }, 'a run that waits');
      equal(await journal.dueRuns(Date.now(), 10), [], 'runs that are due now');
      equal(await journal.dueRuns(FAR, 10), [RUN], 'runs that are due then');
      const again = await claimed(stage);
      await again.recordWait(RUN, { path: 'steps/past', resource: 'sleep', at: 1 });
      matches(await again.suspendRun(RUN), { status: 'running' }, 'a run whose instant has passed');
      equal(await again.dueRuns(Date.now(), 10), [RUN], 'runs that are due now');
    },
  },
  {
    id: 'J-contract',
    title: 'works by the words of the contract alone: park, a step entry at its path as the answer, unpark',
    needs: ['store'],
    run: async (stage) => {
      const journal = await claimed(stage);
      await journal.parkRun(RUN, waitAt(ASK));
      const other = await stage.journal();
      matches(await other.readRun(RUN), { status: 'parked' }, 'a run that was parked');
      equal(await other.runParkedOn(`token ${ASK}`), RUN, 'the run that waits for a token');
      const answer = { path: ASK, kind: 'step', value: 'yes' } as const;
      equal(await other.append(RUN, answer), answer, 'an answer as an entry');
      await other.unparkRun(RUN);
      matches(await other.readRun(RUN), { status: 'running' }, 'the run');
      equal(await other.readEntries(RUN), [answer], 'entries on record');
      equal(await other.runParkedOn(`token ${ASK}`), undefined, 'the run that waits for the token of an answered wait');
    },
  },
];
