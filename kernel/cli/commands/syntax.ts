import { readAllow } from '../allow-option.ts';
import { type Arguments, type Command, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openForCommand } from '../open-kernel.ts';
import { jsonDocument, printable, printableLines } from '../printable.ts';
import { notFoundError, usageError } from '../usage.ts';

/** Says what a fragment may use under a profile. @see kernel-specs/command-line.md CL-16 */
export const syntax: Command = {
  name: 'syntax',
  usage: 'telo-xmd syntax <manifest> [--profile NAME] [--allow read,write] [--names File,Dir] [--json]',
  summary:
    'Documents what a fragment may use, as Markdown for a prompt or as the listing of symbols. Performs nothing.',
  options: {
    profile: { type: 'string', value: 'NAME', help: 'the Xmd.Profile, where the manifest declares several' },
    allow: { type: 'string', value: 'LIST', help: 'read, write or read,write (default read)' },
    names: { type: 'string', value: 'LIST', help: 'only these elements, admitted or not' },
    var: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'set a declared variable; may be repeated' },
    ...JSON_OPTION,
  },
  positionals: { least: 1, most: 1 },
  run: async (args, world) => {
    const [manifest = ''] = args.positionals;
    const { kernel } = await openForCommand(manifest, args, world, { quiet: true, only: isProfile });
    try {
      const answer = syntaxOf(chosen(kernel.instancesOfKind('Xmd.Profile'), args.text('profile')), args);
      const { markdown, symbols, reference } = answer;
      world.stdout.write(args.flag('json') ? jsonDocument({ symbols, reference }) : printableLines(markdown));
      return EXIT.completed;
    } finally {
      await kernel.close();
    }
  },
};

/** Nothing else comes to life: a command that only reads makes no file. */
function isProfile({ kind }: { readonly kind: string }): boolean {
  return kind === 'Xmd.Profile';
}

interface Named {
  readonly name: string;
  readonly instance: unknown;
}

function chosen(profiles: readonly Named[], name: string | undefined): unknown {
  const found = name === undefined ? profiles : profiles.filter((profile) => profile.name === name);
  const [first] = found;
  if (first === undefined) {
    const what = name === undefined ? 'an Xmd.Profile' : `an Xmd.Profile named "${printable(name)}"`;
    throw notFoundError(`Cannot find ${what}`, 'Name an Xmd.Profile resource of the manifest.');
  }
  if (found.length > 1) {
    const names = found.map((profile) => printable(profile.name)).join(', ');
    throw usageError('Cannot choose a profile: the manifest declares several', `Write --profile with one of ${names}.`);
  }
  return first.instance;
}

interface Answer {
  readonly markdown: string;
  readonly symbols: unknown;
  readonly reference: unknown;
}

function syntaxOf(instance: unknown, args: Arguments): Answer {
  if (typeof instance !== 'object' || instance === null || !('syntax' in instance)) {
    throw new TypeError('An Xmd.Profile documents its syntax');
  }
  const method = instance.syntax;
  if (typeof method !== 'function') throw new TypeError('An Xmd.Profile documents its syntax');
  const names = args
    .text('names')
    ?.split(',')
    .map((name) => name.trim());
  const inputs = { ...readAllow(args.text('allow')), ...(names === undefined ? {} : { names }) };
  const answer: unknown = Reflect.apply(method, instance, [inputs]);
  if (isAnswer(answer)) return answer;
  throw new TypeError('A syntax has a text and symbols');
}

function isAnswer(value: unknown): value is Answer {
  return (
    typeof value === 'object' &&
    value !== null &&
    'markdown' in value &&
    typeof value.markdown === 'string' &&
    'symbols' in value &&
    'reference' in value
  );
}
