import type { WaitRecord } from '@telorun/sdk/journal';
import { jsonText, printable, shellQuoted } from './printable.ts';
import { sampleOf } from './sample.ts';

const PROGRAM = 'npx telo-xmd';

/** How the journal is named again on a command line: not at all where the default finds it. Pure. */
function journalFlag(file: string | undefined): string {
  return file === undefined ? '' : ` --journal ${shellQuoted(printable(file))}`;
}

/** The exact command that answers `wait` and lets its run go on. Pure. */
export function answerCommand(wait: WaitRecord, options: { journal: string | undefined; several: boolean }): string {
  const at = options.several ? ` --at ${shellQuoted(printable(wait.path))}` : '';
  const sample = printable(jsonText(sampleOf(wait.schema)));
  return `${PROGRAM} answer ${shellQuoted(printable(wait.run))} ${shellQuoted(sample)}${at} --resume${journalFlag(options.journal)}`;
}

/** The exact command that tells `run`. Pure. */
export function showCommand(run: string, options: { journal: string | undefined }): string {
  return `${PROGRAM} show ${shellQuoted(printable(run))}${journalFlag(options.journal)}`;
}

/** The exact command that continues `run`. Pure. */
export function resumeCommand(run: string, options: { journal: string | undefined }): string {
  return `${PROGRAM} resume ${shellQuoted(printable(run))}${journalFlag(options.journal)}`;
}
