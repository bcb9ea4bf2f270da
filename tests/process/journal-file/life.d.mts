import type { FencedJournal } from '../../../sdk/journal.ts';

export function life(journal: FencedJournal): Promise<string>;
