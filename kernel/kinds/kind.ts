import type {
  ControllerModule,
  InvokeContext,
  KindRef,
  ResourceContext,
  ResourceInstance,
  ScopeContext,
} from '@telorun/sdk';
import type { RunProgram } from '@telorun/sdk/journal';
import type { Redaction } from '../durable/redaction.ts';
import type { KernelListener } from '../events.ts';

export type Capability =
  'Telo.Service' | 'Telo.Runnable' | 'Telo.Invocable' | 'Telo.Provider' | 'Telo.Mount' | 'Telo.Type' | 'Telo.Sink';

/** A kind, whether built in (kinds/*) or read from a Telo.Definition: one shape for the checker and the runtime. */
export interface KindDefinition {
  /** metadata.name of the module: `Run`. */
  readonly module: string;
  /** `Sequence`; the canonical kind is `Run.Sequence`. */
  readonly name: string;
  readonly description: string;
  readonly capability: Capability;
  /** Canonical kinds it extends. */
  readonly extends?: readonly string[];
  readonly abstract?: boolean;
  /** Name of the ready instance that the module exports beside the kind: `writeLine`. Built-in kinds only. */
  readonly instance?: string;
  /** Draft-07 schema of the configuration, with Telo's x-telo-* annotations. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly inputType?: unknown;
  readonly outputType?: unknown;
  readonly throws?: {
    readonly codes?: Readonly<Record<string, { readonly description?: string }>>;
    readonly inherit?: boolean;
    readonly passthrough?: boolean;
  };
  /** Loads what creates instances; called at the first instantiation. */
  controller(): Promise<ControllerModule>;
  /** The body in place of a controller. */
  readonly template?: Template;
}

/** What a `Telo.Definition` states in place of a controller: resources of each instance, one of which answers. */
export interface Template {
  /** As authored. */
  readonly resources: readonly unknown[];
  readonly form: 'invoke' | 'run' | 'provide' | 'mount';
  /** Name of the resource that answers. */
  readonly answering: string;
  /** What that one is called with, over `self` and the `inputs` of the call. Absent: those inputs. */
  readonly inputs?: unknown;
  /** What is answered, over `self`, `inputs` and its `result`. Absent: that result. */
  readonly result?: unknown;
}

/** Resources that live inside a resource for a time. */
export interface ResourceScope extends ScopeContext {
  /** Runs one of them: a Runnable, or a Service, which has then been started. Effect. */
  run(ref: KindRef, ctx: InvokeContext | undefined): Promise<void>;
  /** Tears them down; a failure of that is logged and no more. Effect. */
  close(): Promise<void>;
}

/** The resources of one instance of a template, alive. */
export interface TemplateScope extends ResourceScope {
  readonly answering: ResourceInstance;
  /** Runs the one that answers: a Runnable, or a Service, which has then been started. Effect. */
  runAnswering(ctx: InvokeContext | undefined): Promise<void>;
  /** Evaluates over what the body sees: the values of its module, and `self`. */
  readonly context: ResourceContext;
  /** The highest of them. */
  readonly teardownPriority: number;
}

/** What the embedded kernel adds for the kinds built into it. Never given to a controller from a manifest. */
export interface KernelServices {
  readonly emit: KernelListener;
  /** Where the resource's program is found again, and the digest of its canonical document. */
  program(resource: string): RunProgram;
  /** Every resource that this one of the same module refers to, at any distance; kinds are canonical. Pure. */
  reached?(resource: string): readonly { readonly kind: string; readonly name: string }[];
  /** Epoch milliseconds. */
  now(): number;
  /** The draft-07 schema that a type (`!ref`, name, inline or raw) means in the module of the resource. Pure. */
  schemaOf?(type: unknown): object | undefined;
  /** Makes the resources written in a `x-telo-scope` slot of the resource, and initialises them. Effect. */
  openScope?(slot: string): Promise<ResourceScope>;
  /** Makes the resources of the template that the kind of the resource is. Effect. */
  openTemplate?(): Promise<TemplateScope>;
  /** What keeps the values of the application's secrets, and those of its libraries, out of records. */
  readonly redaction?: Redaction;
}

export interface KernelResourceContext extends ResourceContext {
  readonly kernel: KernelServices;
}
