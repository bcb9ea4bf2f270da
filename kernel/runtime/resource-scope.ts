import type { ResourceScope } from '../kinds/kind.ts';
import type { KernelCore } from './core.ts';
import { declare, kindIn, settleReferences } from './declare.ts';
import { initialize } from './initialize.ts';
import type { ResourceRecord } from './resource.ts';
import { InnerScope } from './scope.ts';
import { scopedResources } from './scoped.ts';
import { tearDown } from './teardown.ts';

/**
 * Makes the resources that `owner` holds in `slot`, fresh for each call, and initialises them in order. Effect: runs
 * controllers.
 *
 * @throws InvokeError ERR_RESOURCE_INITIALIZATION_FAILED, ERR_CIRCULAR_DEPENDENCY, ERR_REF_UNRESOLVED, ERR_DUPLICATE_RESOURCE;
 *   what was made is torn down then
 * @see kernel-specs/run-kinds.md RK-02
 */
export async function openScope(core: KernelCore, owner: ResourceRecord, slot: string): Promise<ResourceScope> {
  const scope = new InnerScope(owner.scope);
  const close = async (): Promise<void> => {
    const records = [...scope.records.values()];
    scope.registrar.registered = undefined;
    await tearDown(core, records);
    for (const record of records) core.records.splice(core.records.indexOf(record), 1);
  };
  try {
    await fill(core, owner, { scope, slot });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    resolve: ({ name }) => scope.records.get(name)?.instance,
    run: async ({ name }, ctx) => {
      const { record, instance } = core.live(scope.records.get(name), name);
      const service = record.definition.capability === 'Telo.Service';
      await core.dispatcher.run(record, instance, ctx === undefined ? { service } : { service, ctx });
    },
    close,
  };
}

async function fill(
  core: KernelCore,
  owner: ResourceRecord,
  { scope, slot }: { scope: InnerScope; slot: string },
): Promise<void> {
  for (const { name, kind, fields, metadata } of scopedResources(owner.fields[slot])) {
    declare(core, scope, {
      name,
      definition: kindIn(core, scope, kind),
      fields,
      metadata,
      pointer: `${owner.pointer ?? owner.name}#/${slot}/${name}`,
      ...(owner.document === undefined ? {} : { document: owner.document }),
    });
  }
  // Settling lifts inline resources, which are settled by then.
  const written = [...scope.records.values()];
  for (const record of written) settleReferences(core, record);
  await initialize(core, [...scope.records.values()], scope.registrar);
  scope.registrar.registered = undefined;
}
