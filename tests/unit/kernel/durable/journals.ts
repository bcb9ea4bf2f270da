import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FencedJournal } from '@telorun/sdk/journal';
import { openJournal } from '../../../../controllers/journal-sqlite/open-journal.ts';
import { MemoryStore } from '../../../support/memory-journal.ts';

/** One place for runs that several "processes" open. */
export interface Place {
  connect(): Promise<FencedJournal>;
  dispose(): void;
}

export interface JournalUnderTest {
  readonly name: string;
  readonly open: (now?: () => number) => Place;
}

export const journals: readonly JournalUnderTest[] = [
  {
    name: 'memory',
    open: (now) => {
      const store = new MemoryStore();
      if (now !== undefined) store.now = now;
      return { connect: async () => store.connect(), dispose: () => undefined };
    },
  },
  {
    name: 'SQLite',
    open: (now) => {
      const folder = mkdtempSync(join(tmpdir(), 'durable-'));
      const opened: FencedJournal[] = [];
      return {
        connect: async () => {
          const journal = await openJournal({ file: join(folder, 'runs.db'), ...(now === undefined ? {} : { now }) });
          opened.push(journal);
          return journal;
        },
        dispose: () => {
          for (const journal of opened) journal.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  },
];
