import { type Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openForCommand } from '../open-kernel.ts';
import { readFile, readText } from '../read-input.ts';
import { inputError, notFoundError, usageError } from '../usage.ts';
import { jsonDocument, printable } from '../printable.ts';

/** Says what a fragment would do, or how it is refused. @see kernel-specs/command-line.md CL-04 */
export const preflight: Command = {
  name: 'preflight',
  usage: 'telo-xmd preflight <fragment|-> --manifest FILE --evaluate NAME [--allow read,write]',
  summary: 'Checks a fragment as the named Xmd.Evaluate would, performs nothing, and prints what it would do as JSON.',
  options: {
    manifest: { type: 'string', value: 'FILE', help: 'manifest that declares the Xmd.Evaluate' },
    evaluate: { type: 'string', value: 'NAME', help: 'name of the Xmd.Evaluate resource' },
    allow: { type: 'string', value: 'LIST', help: 'read, write or read,write; never wider than the resource' },
    var: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'set a declared variable; may be repeated' },
    json: { type: 'boolean', help: 'accepted; the answer is JSON always' },
  },
  positionals: { least: 1, most: 1 },
  notes: ['<fragment> is a file; - reads standard input.'],
  run: async (args, world) => {
    const manifest = args.text('manifest');
    const name = args.text('evaluate');
    if (manifest === undefined || name === undefined) {
      throw usageError('Cannot preflight without --manifest and --evaluate', `Write: ${preflight.usage}`);
    }
    const [source = ''] = args.positionals;
    const text = source === '-' ? await readText('-', world) : readFile(source, world);
    // Neither a journal nor a workflow comes to life: a command that only reads makes no file.
    const only = ({ kind, name: one }: { kind: string; name: string }): boolean =>
      kind === 'Xmd.Profile' || (kind === 'Xmd.Evaluate' && one === name);
    const { kernel } = await openForCommand(manifest, args, world, { quiet: true, only });
    try {
      const answer = await preflightOf(kernel.instance(name), name)({ text, ...readAllow(args.text('allow')) });
      world.stdout.write(jsonDocument(answer));
      return isAdmitted(answer) ? EXIT.completed : EXIT.refused;
    } finally {
      await kernel.close();
    }
  },
};

type PreflightMethod = (inputs: { text: string; allow?: readonly string[] }) => Promise<unknown>;

function preflightOf(instance: unknown, name: string): PreflightMethod {
  if (typeof instance === 'object' && instance !== null && 'preflight' in instance) {
    const { preflight: method } = instance;
    if (typeof method === 'function') {
      return async (inputs) => {
        const answer: unknown = await Reflect.apply(method, instance, [inputs]);
        return answer;
      };
    }
  }
  throw notFoundError(
    `Cannot find an Xmd.Evaluate named "${printable(name)}"`,
    'Name an Xmd.Evaluate resource of the manifest.',
  );
}

function readAllow(text: string | undefined): { allow?: readonly string[] } {
  if (text === undefined) return {};
  const allow = text.split(',').map((word) => word.trim());
  if (allow.some((word) => word !== 'read' && word !== 'write')) {
    throw inputError(`Cannot read --allow "${printable(text)}"`, 'Write read, write, or read,write.');
  }
  return { allow };
}

function isAdmitted(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'admitted' in answer && answer.admitted === true;
}
