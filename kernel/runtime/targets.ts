import { InvokeError, StepEngine } from '@telorun/sdk';
import type { ResourceContext } from '@telorun/sdk';
import { isPlainObject } from '../graph/plain.ts';
import type { KindDefinition } from '../kinds/kind.ts';
import { Reference } from '../manifest/tagged.ts';
import { KernelContext } from './context.ts';
import type { KernelCore } from './core.ts';
import { withReferences } from './expand.ts';
import { kindRefsOf, referenceTo } from './resource.ts';
import type { ResourceRecord } from './resource.ts';
import type { ModuleScope } from './scope.ts';

/** The application itself, as the resource whose body its inline target steps are. */
const applicationKind: KindDefinition = {
  module: 'Telo',
  name: 'Application',
  description: 'The application itself.',
  capability: 'Telo.Runnable',
  schema: { type: 'object' },
  controller: () => Promise.resolve({ create: () => null }),
};

type Target =
  | { readonly form: 'run'; readonly record: ResourceRecord; readonly when?: unknown }
  | { readonly form: 'step'; readonly step: Record<string, unknown> };

/**
 * The boot list of an application: references, names, guarded references and inline steps, in authored order.
 *
 * @see kernel-specs/runtime.md RT-30
 */
export class Targets {
  readonly #core: KernelCore;
  readonly #scope: ModuleScope;
  readonly #context: ResourceContext;
  readonly #engine: StepEngine;
  readonly #targets: readonly Target[];

  /**
   * Reads the list. Effect: registers inline resources of its steps, so it must come before the boot is over.
   *
   * @throws InvokeError ERR_REF_UNRESOLVED, ERR_TARGET_INVALID
   */
  constructor(core: KernelCore, scope: ModuleScope) {
    this.#core = core;
    this.#scope = scope;
    this.#context = new KernelContext(core, applicationRecord(scope));
    this.#engine = new StepEngine(this.#context, { kind: 'Telo.Application', resourceName: scope.name });
    const authored = core.module.root.fields['targets'];
    this.#targets = Array.isArray(authored) ? authored.map((target, index) => readTarget(scope, target, index)) : [];
    this.#engine.resolveInvokes(this.#targets.flatMap((target) => (target.form === 'step' ? [target.step] : [])));
  }

  /** What the targets refer to, so that it is live before they run. Pure. */
  get records(): readonly ResourceRecord[] {
    return this.#targets.flatMap((target) => {
      if (target.form === 'run') return [target.record];
      return [...kindRefsOf(target.step)].flatMap(({ name, alias }) => this.#scope.find(name, alias) ?? []);
    });
  }

  /** Runs the targets one after another. Effect: whatever they do. The first failure ends the list. */
  async run(): Promise<void> {
    const steps: Record<string, { result: unknown }> = {};
    for (const target of this.#targets) {
      const context = this.#core.rootContext();
      context.cancellation.throwIfCancelled();
      if (target.form === 'step') {
        await this.#core.ambient.run(context, () =>
          this.#engine.executeSteps([target.step], steps, undefined, {}, context),
        );
      } else if (target.when === undefined || Boolean(this.#context.expandValue(target.when, { steps }))) {
        await this.#runOne(target.record);
      }
    }
  }

  async #runOne(target: ResourceRecord): Promise<void> {
    const { record, instance } = this.#core.live(target, target.name);
    const service = record.definition.capability === 'Telo.Service';
    await this.#core.dispatcher.run(record, instance, { service, ctx: this.#core.rootContext() });
  }
}

function applicationRecord(scope: ModuleScope): ResourceRecord {
  const kind = 'Telo.Application';
  const manifest = { kind, metadata: { name: scope.name, module: scope.name } };
  const document = scope.module?.root;
  return {
    scope,
    name: scope.name,
    kind,
    definition: applicationKind,
    document,
    pointer: undefined,
    fields: {},
    home: scope,
    manifest,
    readiness: 0,
    state: 'ready',
  };
}

function readTarget(scope: ModuleScope, target: unknown, index: number): Target {
  if (target instanceof Reference || typeof target === 'string')
    return { form: 'run', record: targetRecord(scope, target) };
  if (!isPlainObject(target)) throw invalidTarget(index);
  const { ref, when, ...step } = target;
  if (ref instanceof Reference || typeof ref === 'string') {
    const record = targetRecord(scope, ref);
    return when === undefined ? { form: 'run', record } : { form: 'run', record, when };
  }
  if (step['invoke'] === undefined) throw invalidTarget(index);
  const resolved = withReferences(target, { reference: (reference) => referenceTo(scope, reference) });
  if (!isPlainObject(resolved)) throw invalidTarget(index);
  return { form: 'step', step: { name: `Target${index}`, ...resolved } };
}

function targetRecord(scope: ModuleScope, target: Reference | string): ResourceRecord {
  const [name, alias] = typeof target === 'string' ? splitName(target) : [target.name, target.alias];
  const record = scope.find(name, alias);
  if (record !== undefined) return record;
  const text = typeof target === 'string' ? target : target.text;
  throw new InvokeError('ERR_REF_UNRESOLVED', `Cannot boot target "${text}": no resource has that name`, {
    reference: text,
    hint: 'Declare the resource, or correct the name.',
  });
}

/** `Alias.name` in its two parts. Pure. */
export function splitName(text: string): readonly [name: string, alias: string | undefined] {
  const dot = text.indexOf('.');
  return dot < 0 ? [text, undefined] : [text.slice(dot + 1), text.slice(0, dot)];
}

function invalidTarget(index: number): InvokeError {
  return new InvokeError(
    'ERR_TARGET_INVALID',
    `Cannot read targets[${index}]: it is neither a reference nor a step with invoke`,
    {
      index,
      hint: 'Write a !ref, {ref, when}, or a step with invoke.',
    },
  );
}
