import type { LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { plainData } from './definition-view.ts';
import type { Findings } from './findings.ts';
import { isDefinition } from './kinds.ts';
import { schemaFault } from './schema-check.ts';

/**
 * Reports an `inputType` or `outputType` that is written out and is no schema: nothing could be held to it. Effect: on
 * `findings`.
 * @see kernel-specs/manifest.md M-41
 */
export function checkContracts(module: LoadedModule, findings: Findings): void {
  for (const document of module.documents) {
    if (isDefinition(document)) continue;
    for (const which of ['inputType', 'outputType']) {
      const stated = document.fields[which];
      const type = isRecord(stated) && Object.hasOwn(stated, 'kind') ? stated['schema'] : stated;
      const schema = plainData(type);
      const fault = isRecord(schema) ? schemaFault(schema) : undefined;
      if (fault === undefined) continue;
      findings.add(document, {
        code: 'CONTRACT_SCHEMA_INVALID',
        message: `The schema cannot be used: ${fault}`,
        path: [which],
      });
    }
  }
}
