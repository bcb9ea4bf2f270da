import { JOURNAL_OPTION, JSON_OPTION, type Command } from '../command.ts';
import { chooseJournal } from '../open-journal.ts';
import { resumeAll, resumeRun } from '../resume-run.ts';
import { worstOf } from '../settle.ts';
import { usageError } from '../usage.ts';

/** Continues runs. @see kernel-specs/command-line.md CL-08 */
export const resume: Command = {
  name: 'resume',
  usage:
    'telo-xmd resume <run> [--manifest FILE] [--force [--reason TEXT]] [--doubt DECISION [--value JSON]] | telo-xmd resume --all',
  summary: 'Continues a run where its journal ends, or every run that is due.',
  options: {
    all: { type: 'boolean', help: 'continue every run that is due' },
    workflow: { type: 'string', value: 'NAME', help: 'which workflow, for a run whose record names none' },
    manifest: { type: 'string', value: 'FILE', help: 'the manifest, where it was moved' },
    force: { type: 'boolean', help: 'continue although the workflow resource changed; recorded' },
    reason: { type: 'string', value: 'TEXT', help: 'why; recorded with --force' },
    doubt: { type: 'string', value: 'DECISION', help: 'decide about a call in doubt: done, retry or fail; recorded' },
    value: { type: 'string', value: 'JSON', help: 'with --doubt done: the value that the call has' },
    at: { type: 'string', value: 'PATH', help: 'with --doubt: step path of the wait, where several are open' },
    var: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'set a declared variable; may be repeated' },
    ...JOURNAL_OPTION,
    ...JSON_OPTION,
  },
  positionals: { least: 0, most: 1 },
  notes: ['--force waives nothing but the comparison of the workflow resource.'],
  run: async (args, world) => {
    const [run] = args.positionals;
    const options = { args, world, choice: chooseJournal(args, world), force: args.flag('force') };
    const decides = ['doubt', 'value', 'at'].some((option) => args.text(option) !== undefined);
    if (args.flag('all')) {
      if (run !== undefined || args.text('manifest') !== undefined || options.force || decides) {
        throw usageError('Cannot combine --all with a run, --manifest, --force or --doubt', `Write: ${resume.usage}`);
      }
      return worstOf(await resumeAll(options));
    }
    if (run === undefined) throw usageError('Cannot resume: no run is named', `Write: ${resume.usage}`);
    if (decides) await (await import('../decide-doubt.ts')).decideDoubt(run, options);
    return resumeRun(run, options);
  },
};
