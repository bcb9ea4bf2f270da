import type { InvokeError } from '@telorun/sdk';
import { readAllow } from '../allow-option.ts';
import { JSON_OPTION, type Command, type CommandWorld } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openForCommand } from '../open-kernel.ts';
import { readFile, readText } from '../read-input.ts';
import { paint } from '../paint.ts';
import { preflightLines, readPreflight, type ReadPreflight, type Source } from '../preflight-lines.ts';
import { jsonDocument, printable } from '../printable.ts';
import { notFoundError, usageError } from '../usage.ts';
import { xmdBundle } from '../xmd-bundle.ts';

/** Says what a fragment would do, or how it is refused. @see kernel-specs/command-line.md CL-04 */
export const preflight: Command = {
  name: 'preflight',
  usage: 'telo-xmd preflight <fragment|-> --manifest FILE --evaluate NAME [--allow read,write] [--json]',
  summary: 'Checks a fragment as the named Xmd.Evaluate would, performs nothing, and prints what it would change.',
  options: {
    manifest: { type: 'string', value: 'FILE', help: 'manifest that declares the Xmd.Evaluate' },
    evaluate: { type: 'string', value: 'NAME', help: 'name of the Xmd.Evaluate resource' },
    allow: { type: 'string', value: 'LIST', help: 'read, write or read,write; never wider than the resource' },
    var: { type: 'string', multiple: true, value: 'NAME=VALUE', help: 'set a declared variable; may be repeated' },
    ...JSON_OPTION,
  },
  positionals: { least: 1, most: 1 },
  notes: [
    '<fragment> is a file; - reads standard input.',
    'Exit code 0: admitted, 3: refused. The digest is what Xmd.Evaluate takes as approved.',
  ],
  run: async (args, world) => {
    const manifest = args.text('manifest');
    const evaluate = args.text('evaluate');
    if (manifest === undefined || evaluate === undefined) {
      throw usageError('Cannot preflight without --manifest and --evaluate', `Write: ${preflight.usage}`);
    }
    const [source = ''] = args.positionals;
    const text = source === '-' ? await readText('-', world) : readFile(source, world);
    // Neither a journal nor a workflow comes to life: a command that only reads makes no file.
    const names: string[] = [];
    const only = ({ kind, name: one }: { kind: string; name: string }): boolean => {
      if (kind === 'Xmd.Evaluate') names.push(one);
      return kind === 'Xmd.Profile' || (kind === 'Xmd.Evaluate' && one === evaluate);
    };
    const { kernel } = await openForCommand(manifest, args, world, { quiet: true, only });
    try {
      if (!names.includes(evaluate)) throw noEvaluate(evaluate, names);
      const answer = await preflightOf(kernel.instance(evaluate), evaluate)({ text, ...readAllow(args.text('allow')) });
      const read = readPreflight(answer);
      if (read === undefined) throw new TypeError('An Xmd.Evaluate answers its preflight');
      const name = source === '-' ? 'standard input' : source;
      world.stdout.write(args.flag('json') ? jsonDocument(answer) : await textOf(read, { name, text }, world));
      return read.admitted ? EXIT.completed : EXIT.refused;
    } finally {
      await kernel.close();
    }
  },
};

async function textOf(answer: ReadPreflight, source: Source, world: CommandWorld): Promise<string> {
  const { refusalMessage } = await xmdBundle();
  const lines = preflightLines(answer, source, {
    paint: paint(world.stdout, world.env),
    sentenceOf: (refusalClass) => refusalMessage({ class: refusalClass }),
  });
  return `${lines.join('\n')}\n`;
}

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
  throw noEvaluate(name, []);
}

function noEvaluate(name: string, names: readonly string[]): InvokeError {
  const known = [...new Set(names)].map(printable).join(', ');
  return notFoundError(
    `Cannot find an Xmd.Evaluate named "${printable(name)}"`,
    known === '' ? 'Declare an Xmd.Evaluate in the manifest.' : `Name one of: ${known}.`,
  );
}
