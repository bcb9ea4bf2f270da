import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { jsonDocument } from '../printable.ts';
import { inputError, notFoundError } from '../usage.ts';

/** Prints the JSON Schema of a manifest's documents, for editors. @see kernel-specs/command-line.md CL-20 */
export const schema: Command = {
  name: 'schema',
  usage: 'telo-xmd schema <manifest>',
  summary: 'Prints the JSON Schema of the documents that a manifest may hold, for YAML editors. Runs nothing.',
  options: { json: { type: 'boolean', help: 'accepted; the answer is JSON always' } },
  positionals: { least: 1, most: 1 },
  notes: ['Each kind stands under the name that the imports of the manifest give it.'],
  run: async (args, world) => {
    const [manifest = ''] = args.positionals;
    if (!existsSync(resolve(world.cwd, manifest))) {
      throw notFoundError(`Cannot read "${manifest}": there is no such file`, 'Name a manifest file or its folder.');
    }
    const { loadManifest } = await import('../../manifest/load.ts');
    const { builtinKinds } = await import('../../kinds/builtin.ts');
    const { moduleNames } = await import('../../check/kinds.ts');
    const { editorSchema } = await import('../../check/editor-schema.ts');
    const loaded = await loadManifest(resolve(world.cwd, manifest), { builtins: moduleNames(builtinKinds) });
    if (loaded.module === undefined) {
      throw inputError(`Cannot read "${manifest}": it is no manifest`, `Run telo-xmd check ${manifest} to see why.`);
    }
    world.stdout.write(jsonDocument(editorSchema(loaded.module, builtinKinds)));
    return EXIT.completed;
  },
};
