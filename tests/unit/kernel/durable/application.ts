import { stampRefIdentity } from '@telorun/sdk';
import type { CancellationSource, ControllerModule, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { FencedJournal } from '@telorun/sdk/journal';
import { durableKinds } from '../../../../kernel/durable/kinds.ts';
import { isWorkflow } from '../../../../kernel/durable/references.ts';
import type { WorkflowInstance } from '../../../../kernel/durable/workflow-instance.ts';
import { resource } from '../../../support/fake-context.ts';
import { initialised, kernelFake } from './bench.ts';

/** Functions stand for expressions, as in the fake context. */
export type Fields = Readonly<Record<string, unknown>>;

export interface ApplicationOptions {
  readonly now?: () => number;
  readonly digest?: () => string;
  readonly root?: CancellationSource;
  readonly name?: string;
}

/** One process: a journal, and resources of the durable kinds that are live in it. */
export function application(journal: FencedJournal, options: ApplicationOptions = {}) {
  const runs: ResourceInstance = Object.assign(journal, { snapshot: () => ({}) });
  const resources: Record<string, ResourceInstance> = { runs };
  const fake = (name: string, kind: string) => kernelFake({ ...options, name, kind, resources, zones: zonesOf(kind) });

  const make = async (kind: string, name: string, fields: Fields): Promise<ResourceInstance> => {
    const definition = durableKinds.find((known) => `${known.module}.${known.name}` === kind);
    if (definition === undefined) throw new TypeError(`no kind ${kind}`);
    const { context } = fake(name, kind);
    const module: ControllerModule = await definition.controller();
    const manifest: ResourceManifest = { kind, metadata: { name }, ...fields };
    const instance = await initialised(module.create(manifest, context), context);
    stampRefIdentity(instance, kind, name, { module: 'app' });
    resources[name] = instance;
    return instance;
  };

  const workflow = async (fields: Fields): Promise<WorkflowInstance> => {
    const instance = await make('DurableLocal.Workflow', options.name ?? 'main', {
      journal: { kind: 'J', name: 'runs' },
      ...fields,
    });
    if (!isWorkflow(instance)) throw new TypeError('no workflow');
    return instance;
  };

  return { make, workflow, fake, resources };
}

/** A counted effect. */
export function counted(name: string, work: (inputs: unknown) => unknown = () => name) {
  const calls: unknown[] = [];
  return {
    calls,
    instance: resource('Test.Effect', name, async (inputs) => (calls.push(inputs), work(inputs)), 'app'),
  };
}

function zonesOf(kind: string) {
  if (kind === 'Durable.Idempotent') return { steps: { idempotent: 'harmless' } };
  return { steps: { replayed: 'a durable run' } };
}
