import { pathToFileURL } from 'node:url';
import type { ControllerModule } from '@telorun/sdk';
import type { KindDefinition } from '../../kinds/kind.ts';
import { packageFile } from '../../package-root.ts';

export const journalFile: KindDefinition = {
  module: 'DurableJournalFile',
  name: 'Journal',
  description: 'A journal of durable runs in one NDJSON file each, as Telo keeps them.',
  capability: 'Telo.Provider',
  extends: ['DurableLocal.Journal'],
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['directory'],
    properties: {
      directory: {
        title: 'Directory',
        description:
          'Folder of the files, relative to the working directory of the process. A folder of the same name with `.xmd` behind it is made beside it for what that format has no place for.',
        type: 'string',
        minLength: 1,
        'x-telo-eval': 'compile',
      },
    },
    examples: [{ directory: '.telo/runs' }],
  },
  controller: async () => {
    const bundle = packageFile('dist', 'controllers', 'journal-file.mjs');
    const bundled: { readonly Journal: ControllerModule } = await import(pathToFileURL(bundle).href);
    return bundled.Journal;
  },
};
