import { codeOf } from '@telorun/sdk';
import type { FencedJournal, JournalEntry } from '@telorun/sdk/journal';
import type { Defect } from './defective.ts';

const LOST = 'ERR_DURABLE_CLAIM_LOST';
const HOLDER = 'conformance';

/** Does what a lost claim forbids, by taking the claim back. */
async function regardless<T>(journal: FencedJournal, run: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) !== LOST) throw error;
    await journal.claimRun(run, HOLDER, 60_000);
    return work();
  }
}

function withoutTarget({ target, ...entry }: JournalEntry): JournalEntry {
  return target === undefined ? entry : { ...entry };
}

/** Journals that do one thing wrong. */
export const brokenJournals: readonly Defect[] = [
  {
    name: 'admits a run for everybody who asks',
    journal: (journal) => ({
      admitRun: async (run, start) => {
        await journal.admitRun(run, start);
        return { admitted: true };
      },
    }),
    found: ['J-admission'],
  },
  {
    name: 'answers a writer with what it wrote, not with what is on record',
    journal: (journal) => ({
      append: async (run, entry) => {
        await journal.append(run, entry);
        return entry;
      },
    }),
    found: ['S6-first', 'J-first-writer'],
  },
  {
    name: 'lists entries backwards',
    journal: (journal) => ({ readEntries: async (run) => [...(await journal.readEntries(run))].toReversed() }),
    found: ['S1-order', 'S2-listed', 'S7-golden', 'S8-sleeps', 'S9-order', 'J-order', 'J-entries', 'J-torn'],
  },
  {
    name: 'drops every hundredth entry',
    journal: (journal) => ({
      readEntries: async (run) => (await journal.readEntries(run)).filter((_entry, index) => index % 100 !== 99),
    }),
    found: ['J-order'],
  },
  {
    name: 'forgets the targets of entries',
    journal: (journal) => ({ readEntries: async (run) => (await journal.readEntries(run)).map(withoutTarget) }),
    found: ['S1-mismatch', 'S7-golden', 'J-first-writer', 'J-entries'],
  },
  {
    name: 'gives one run to several holders',
    journal: (journal) => ({ claimRun: (run, _holder, ttlMs) => journal.claimRun(run, HOLDER, ttlMs) }),
    found: ['J-claim'],
  },
  {
    name: 'takes entries under a lost claim',
    journal: (journal) => ({
      append: (run, entry) => regardless(journal, run, () => journal.append(run, entry)),
      checkClaim: () => undefined,
    }),
    found: [
      'S4-taken-over',
      'S4-decision-lost',
      'S4-in-flight',
      'S4-ever-after',
      'S4-lost-passes',
      'J-fence',
      'J-cancel',
    ],
  },
  {
    name: 'takes waits and settlements under a lost claim',
    journal: (journal) => ({
      recordWait: (run, wait) => regardless(journal, run, () => journal.recordWait(run, wait)),
      suspendRun: (run) => regardless(journal, run, () => journal.suspendRun(run)),
      completeRun: (run, outcome) => regardless(journal, run, () => journal.completeRun(run, outcome)),
    }),
    found: ['S4-decision-lost'],
  },
  {
    name: 'says that it took an entry and does not',
    journal: (journal) => ({
      append: async (run, entry) => {
        try {
          return await journal.append(run, entry);
        } catch {
          return entry;
        }
      },
    }),
    found: ['S4-in-flight', 'J-settles', 'J-unclaimed', 'J-fence', 'J-cancel'],
  },
  {
    name: 'lets the claim be checked by nobody',
    journal: () => ({ checkClaim: () => undefined }),
    found: ['S4-taken-over', 'J-fence', 'J-cancel'],
  },
  {
    name: 'loses the result of a run',
    journal: (journal) => ({
      completeRun: (run, { result: _result, ...outcome }) => journal.completeRun(run, outcome),
    }),
    found: [
      'N1-settled',
      'N2-dispatch',
      'N3-outside',
      'N4-replayed',
      'N6-detaching',
      'N7-cancelled',
      'N0-elsewhere',
      'S1-replay',
      'S1-interrupted',
      'S1-failure',
      'S1-mismatch',
      'S1-omitted',
      'S1-path',
      'S1-twice',
      'S1-first-writer',
      'S1-runs',
      'S2-before',
      'S2-throws',
      'S3-swallowed',
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S3-elsewhere',
      'S4-decision-lost',
      'S4-in-flight',
      'S5-noted',
      'S5-may-wait',
      'S6-copied',
      'S6-refused',
      'S6-lossy',
      'S7-exact',
      'S8-sleeps',
      'S8-survives',
      'S8-parks',
      'S9-waits',
      'S9-own',
      'J-settles',
    ],
  },
  {
    name: 'says that it cancelled a run and does not',
    journal: () => ({ cancelRun: async () => true }),
    found: ['J-cancel', 'J-nobody-waits'],
  },
  {
    name: 'lists every run whatever is asked for',
    journal: (journal) => ({ listRuns: () => journal.listRuns() }),
    found: ['J-lists'],
  },
  {
    name: 'parks a run as soon as a wait is recorded',
    journal: (journal) => ({
      recordWait: async (run, wait) => {
        const record = await journal.recordWait(run, wait);
        await journal.suspendRun(run);
        return record;
      },
    }),
    found: [
      'S9-siblings',
      'S9-waits',
      'J-wait',
      'J-answer',
      'J-nobody-waits',
      'J-schema',
      'J-many-waits',
      'J-timeout',
      'J-due',
    ],
  },
  {
    name: 'forgets the schema and the request of a wait',
    journal: (journal) => ({
      recordWait: (run, { schema: _schema, request: _request, ...wait }) => journal.recordWait(run, wait),
    }),
    found: ['J-wait', 'J-schema'],
  },
  {
    name: 'says delivered and does not write the answer',
    journal: () => ({ answer: async () => ({ delivered: true, run: 'conformance:1', path: 'steps/ask' }) }),
    found: [
      'S3-answer',
      'S3-any-answer',
      'S3-recorded-first',
      'S3-answered-once',
      'S3-nobody-waits',
      'S3-elsewhere',
      'S9-waits',
      'J-answer',
      'J-nobody-waits',
      'J-schema',
      'J-many-waits',
      'J-timeout',
    ],
  },
  {
    name: 'finds no wait by its token',
    journal: (journal) => ({
      answer: async (selector, payload, validate) =>
        'token' in selector
          ? { delivered: false, reason: 'unknown-token' }
          : journal.answer(selector, payload, validate),
    }),
    found: ['J-answer', 'J-many-waits'],
  },
  {
    name: 'does not ask the validator',
    journal: (journal) => ({ answer: (selector, payload) => journal.answer(selector, payload) }),
    found: ['J-schema'],
  },
  {
    name: 'answers the first of several waits that a run alone names',
    journal: (journal) => ({
      answer: async (selector, payload, validate) => {
        const receipt = await journal.answer(selector, payload, validate);
        if (receipt.delivered || receipt.reason !== 'several-open-waits' || 'token' in selector) return receipt;
        const [first] = await journal.readWaits(selector.run);
        return journal.answer({ run: selector.run, path: first?.path ?? '' }, payload, validate);
      },
    }),
    found: ['J-many-waits'],
  },
  {
    name: 'ends a wait that is answered',
    journal: (journal) => ({
      closeWait: async (run, path) => {
        await journal.closeWait(run, path);
        return 'closed';
      },
    }),
    found: ['J-timeout'],
  },
  {
    name: 'makes no run due',
    journal: () => ({ dueRuns: async () => [] }),
    found: ['J-lists', 'J-answer', 'J-due'],
  },
  {
    name: 'never unparks',
    journal: () => ({ unparkRun: async () => undefined }),
    found: ['J-contract'],
  },
  {
    name: 'answers a torn entry as one without a value',
    journal: (journal, memory) => ({
      readEntries: async (run) => {
        const entries = [...(await journal.readEntries(run))];
        const last = entries.at(-1);
        return memory.has('torn') && last !== undefined
          ? [...entries.slice(0, -1), { path: last.path, kind: last.kind, value: null }]
          : entries;
      },
    }),
    place: (place, memory) => ({
      tear: async (run) => {
        await place.tear?.(run);
        memory.set('torn', true);
      },
    }),
    found: ['J-torn'],
  },
];
