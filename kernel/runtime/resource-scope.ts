import type { ResourceScope, TemplateScope } from '../kinds/kind.ts';
import { KernelContext } from './context.ts';
import type { KernelCore } from './core.ts';
import { declare, kindIn, settleReferences } from './declare.ts';
import { initialize } from './initialize.ts';
import type { ResourceRecord } from './resource.ts';
import { InnerScope } from './scope.ts';
import { scopedResources } from './scoped.ts';
import { selfOf } from './self.ts';
import { tearDown } from './teardown.ts';

/**
 * Makes the resources that `owner` holds in `slot`, fresh for each call, and initialises them in order. Effect: runs
 * controllers.
 *
 * @throws InvokeError ERR_RESOURCE_INITIALIZATION_FAILED, ERR_CIRCULAR_DEPENDENCY, ERR_REF_UNRESOLVED, ERR_DUPLICATE_RESOURCE;
 *   what was made is torn down then
 * @see kernel-specs/run-kinds.md RK-02
 */
export function openScope(core: KernelCore, owner: ResourceRecord, slot: string): Promise<ResourceScope> {
  return open(core, owner, { scope: new InnerScope(owner.scope), resources: owner.fields[slot], slot });
}

/**
 * Makes the resources of the template that the kind of `owner` is, for `owner` alone: they see the library that defines
 * the kind, and the configuration of `owner` as `self`. Effect: runs controllers.
 *
 * @throws InvokeError as `openScope` does
 * @see kernel-specs/templates.md TP-02
 */
export async function openTemplate(core: KernelCore, owner: ResourceRecord): Promise<TemplateScope> {
  const { template } = owner.definition;
  if (template === undefined) throw new TypeError(`${owner.kind} is no template`);
  const scope = new InnerScope(owner.home, selfOf(owner));
  const opened = await open(core, owner, { scope, resources: template.resources, slot: 'resources' });
  owner.inner = [...scope.records.values()];
  const { instance, record } = core.live(scope.records.get(template.answering), template.answering);
  return {
    ...opened,
    answering: instance,
    runAnswering: (ctx) => opened.run({ kind: record.kind, name: record.name }, ctx),
    context: new KernelContext(core, { ...owner, scope, state: 'ready' }),
    teardownPriority: Math.max(...owner.inner.map((inner) => inner.instance?.teardownPriority ?? 0)),
  };
}

interface Opening {
  readonly scope: InnerScope;
  /** As authored. */
  readonly resources: unknown;
  /** Where they stand, for their pointers. */
  readonly slot: string;
}

async function open(core: KernelCore, owner: ResourceRecord, opening: Opening): Promise<ResourceScope> {
  const { scope } = opening;
  const close = async (): Promise<void> => {
    const records = [...scope.records.values()];
    scope.registrar.registered = undefined;
    await tearDown(core, records);
    for (const record of records) core.records.splice(core.records.indexOf(record), 1);
  };
  try {
    await fill(core, owner, opening);
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

async function fill(core: KernelCore, owner: ResourceRecord, { scope, resources, slot }: Opening): Promise<void> {
  for (const { name, kind, fields, metadata } of scopedResources(resources)) {
    declare(core, scope, {
      name,
      definition: kindIn(core, scope, kind),
      authored: kind,
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
