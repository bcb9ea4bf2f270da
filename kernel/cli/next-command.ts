import type { WaitRecord } from '@telorun/sdk/journal';
import { jsonText, printable, shellQuoted } from './printable.ts';
import { sampleOf } from './sample.ts';

const PROGRAM = 'npx telo-xmd';

/** How the journal is named again on a command line: not at all where the default finds it. Pure. */
function journalFlag(file: string | undefined): string {
  return file === undefined ? '' : ` --journal ${shellQuoted(printable(file))}`;
}

/** One command line. What begins with a dash would be read as an option, so it stands behind `--`, and they behind the rest. */
function commandLine(verb: string, subjects: readonly string[], flags: string): string {
  const quoted = subjects.map((subject) => shellQuoted(printable(subject))).join(' ');
  const asOption = subjects.some((subject) => subject.startsWith('-'));
  return asOption ? `${PROGRAM} ${verb}${flags} -- ${quoted}` : `${PROGRAM} ${verb} ${quoted}${flags}`;
}

/** The exact command that answers `wait` and lets its run go on. Pure. */
export function answerCommand(wait: WaitRecord, options: { journal: string | undefined; several: boolean }): string {
  const at = options.several ? ` --at ${shellQuoted(printable(wait.path))}` : '';
  const subjects = [wait.run, jsonText(sampleOf(wait.schema))];
  return commandLine('answer', subjects, `${at} --resume${journalFlag(options.journal)}`);
}

/** The exact command that tells `run`. Pure. */
export function showCommand(run: string, options: { journal: string | undefined }): string {
  return commandLine('show', [run], journalFlag(options.journal));
}

/** The exact command that continues `run`, or decides its doubt first. Pure. */
export function resumeCommand(run: string, options: { journal: string | undefined; decides?: boolean }): string {
  const doubt = options.decides === true ? ' --doubt DECISION' : '';
  return commandLine('resume', [run], `${journalFlag(options.journal)}${doubt}`);
}
