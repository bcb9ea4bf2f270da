import { StepEngine } from '@telorun/sdk';
import type {
  ControllerModule,
  InvokeContext,
  ResourceContext,
  ResourceInstance,
  ResourceManifest,
} from '@telorun/sdk';
import { Reference } from '../manifest/tagged.ts';
import { kernelContext } from './kernel-context.ts';
import type { Template, TemplateScope } from './kind.ts';

/** Members that say which resource answers, and how. */
export const TEMPLATE_FORMS = ['invoke', 'run', 'provide', 'mount'] as const;

/** The template that a definition states; undefined where it states none that can be made. Pure. */
export function readTemplate(fields: Readonly<Record<string, unknown>>): Template | undefined {
  const form = TEMPLATE_FORMS.find((one) => fields[one] !== undefined);
  const answering = form === undefined ? undefined : fields[form];
  if (form === undefined || !(answering instanceof Reference) || answering.alias !== undefined) return undefined;
  const { resources, inputs, result } = fields;
  return {
    resources: Array.isArray(resources) ? resources : [],
    form,
    answering: answering.name,
    ...(inputs === undefined ? {} : { inputs }),
    ...(result === undefined ? {} : { result }),
  };
}

/**
 * What makes the instances of a templated kind. Pure.
 * @see kernel-specs/templates.md TP-01
 */
export function templateController(template: Template): ControllerModule {
  return {
    create: (resource, ctx) => {
      const { form } = template;
      if (form === 'invoke') return new Invoked(template, resource, ctx);
      return form === 'run' ? new Run(ctx) : new StandIn(ctx);
    },
  };
}

/** One instance: it holds its resources from `init` to its teardown. */
class Templated implements ResourceInstance {
  snapshot?: () => unknown;
  readonly #ctx: ResourceContext;
  #scope: TemplateScope | undefined;

  constructor(ctx: ResourceContext) {
    this.#ctx = ctx;
  }

  /** As late as the latest of its resources. */
  get teardownPriority(): number {
    return this.#scope?.teardownPriority ?? 0;
  }

  async init(_ctx: ResourceContext): Promise<void> {
    const { kernel } = kernelContext(this.#ctx);
    if (kernel.openTemplate === undefined) throw new TypeError('This kernel opens no templates');
    this.#scope = await kernel.openTemplate();
    const { answering } = this.#scope;
    if (answering.snapshot !== undefined) this.snapshot = () => answering.snapshot?.();
  }

  async teardown(): Promise<void> {
    await this.#scope?.close();
  }

  protected get scope(): TemplateScope {
    if (this.#scope === undefined) throw new TypeError('A template is used before it is initialised');
    return this.#scope;
  }
}

/** A call is a step of its own, below the step that called: what it parks on or answers passes through `result`. */
class Invoked extends Templated {
  readonly #template: Template;
  readonly #resource: ResourceManifest;

  constructor(template: Template, resource: ResourceManifest, ctx: ResourceContext) {
    super(ctx);
    this.#template = template;
    this.#resource = resource;
  }

  /** Durable: `<path>/invoke/inputs`, `<path>/invoke`. */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    const { context, answering } = this.scope;
    const { kind, metadata } = this.#resource;
    const results: Record<string, { readonly result: unknown }> = {};
    const step = { name: 'invoke', invoke: answering, inputs: this.#template.inputs ?? inputs };
    const engine = new StepEngine(context, { kind, resourceName: metadata.name });
    await engine.executeSteps([step], results, undefined, { inputs }, ctx);
    const result = results['invoke']?.result;
    const mapped = this.#template.result;
    return mapped === undefined ? result : context.expandValue(mapped, { inputs, result });
  }

  async run(ctx?: InvokeContext): Promise<void> {
    await this.invoke({}, ctx);
  }
}

class Run extends Templated {
  run(ctx?: InvokeContext): Promise<void> {
    return this.scope.runAnswering(ctx);
  }
}

/** Has every member of the resource that answers: whoever holds a provider or a mount calls its methods directly. */
class StandIn extends Templated {
  override async init(ctx: ResourceContext): Promise<void> {
    await super.init(ctx);
    const { answering } = this.scope;
    for (const name of membersOf(answering)) {
      if (name in this) continue;
      Object.defineProperty(this, name, {
        get: () => {
          const member: unknown = Reflect.get(answering, name);
          return typeof member === 'function' ? member.bind(answering) : member;
        },
      });
    }
  }
}

function membersOf(instance: object): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at: unknown = instance; isObject(at) && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return names;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
