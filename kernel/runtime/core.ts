import { createCancellationSource, deriveContext, InvokeError } from '@telorun/sdk';
import type { CancellationSource, CancellationToken, InvokeContext, Logger, ResourceInstance } from '@telorun/sdk';
import type { KernelListener } from '../events.ts';
import type { ResourceScope, TemplateScope } from '../kinds/kind.ts';
import type { LoadedModule } from '../manifest/model.ts';
import { Ambient } from './ambient.ts';
import { Bus } from './bus.ts';
import type { Definitions } from './definitions.ts';
import { Dispatcher } from './dispatch.ts';
import { Holds } from './holds.ts';
import { createLogger } from './log.ts';
import type { LogLevel } from './log.ts';
import { ProtectedPaths } from './protected-paths.ts';
import type { ResourceRecord } from './resource.ts';
import type { ModuleScope } from './scope.ts';

/** The world that an application runs in. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args: { readonly _: readonly string[]; readonly [name: string]: unknown };
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly now: () => number;
  readonly logLevel: LogLevel;
}

/** What the parts of one kernel share. */
export class KernelCore {
  readonly world: World;
  readonly module: LoadedModule;
  readonly definitions: Definitions;
  readonly emit: KernelListener;
  readonly holds = new Holds();
  readonly bus = new Bus();
  readonly root: CancellationSource = createCancellationSource();
  readonly ambient: Ambient;
  readonly dispatcher: Dispatcher;
  /** Every resource, in the order in which it was declared or registered. */
  readonly records: ResourceRecord[] = [];
  readonly scopes: ModuleScope[] = [];
  /** Registered by an `init` and not yet initialised; undefined once the boot is over. */
  registered: ResourceRecord[] | undefined = [];
  exitCode = 0;
  /** Makes the resources that one holds in a slot. Set by whoever opens the kernel: it initialises, which needs the core. */
  openScope: ((owner: ResourceRecord, slot: string) => Promise<ResourceScope>) | undefined;
  /** The same for the resources of a template. */
  openTemplate: ((owner: ResourceRecord) => Promise<TemplateScope>) | undefined;
  readonly #protected = new ProtectedPaths(this);
  #readiness = 0;

  constructor(options: { world: World; module: LoadedModule; definitions: Definitions; emit: KernelListener }) {
    this.world = options.world;
    this.module = options.module;
    this.definitions = options.definitions;
    this.emit = options.emit;
    this.ambient = new Ambient(() => this.root.context);
    this.dispatcher = new Dispatcher(this.ambient, this.emit);
  }

  /** Numbers instances in the order in which they come to be. Effect: counts. */
  nextReadiness(): number {
    this.#readiness += 1;
    return this.#readiness;
  }

  /** A logger for one resource, or for the kernel itself. */
  logger(resource?: string, module?: string): Logger {
    const { logLevel: level, stderr: stream, now } = this.world;
    return createLogger({
      level,
      stream,
      now,
      ...(resource === undefined ? {} : { resource }),
      ...(module === undefined ? {} : { module }),
    });
  }

  /** A fresh context: no parent, no zones, no run. Pure. */
  rootContext(cancellation: CancellationToken = this.root.token): InvokeContext {
    return deriveContext(this.root.context, { cancellation });
  }

  /** A source that the kernel's own cancellation reaches; `dispose` lets go of both. */
  linkedSource(): CancellationSource {
    const source = createCancellationSource();
    const unlink = this.root.token.onCancelled((reason) => source.cancel(reason));
    return {
      token: source.token,
      context: source.context,
      cancel: (reason) => source.cancel(reason),
      cancelAt: (epochMs) => source.cancelAt(epochMs),
      cancelAfter: (ms) => source.cancelAfter(ms),
      dispose: () => {
        unlink();
        source.dispose();
      },
    };
  }

  /** The scope that the types of a kind are resolved in. Pure. */
  scopeOf(module: LoadedModule): ModuleScope | undefined {
    return this.scopes.find((scope) => scope.module === module);
  }

  /** Makes a snapshot of a resource readable in expressions. Effect: reads the instance's `snapshot()`. */
  async publish(record: ResourceRecord): Promise<void> {
    const { instance } = record;
    if (instance?.snapshot !== undefined) record.scope.publish(record.name, await instance.snapshot());
  }

  /** Absolute paths that nothing evaluated for a fragment may touch, as they are now. Pure. */
  protectedPaths(): readonly string[] {
    return this.#protected.list();
  }

  /** The instance of a record. @throws InvokeError ERR_RESOURCE_NOT_FOUND */
  live(record: ResourceRecord | undefined, name: string): { record: ResourceRecord; instance: ResourceInstance } {
    if (record?.instance !== undefined) return { record, instance: record.instance };
    throw new InvokeError('ERR_RESOURCE_NOT_FOUND', `Cannot find resource "${name}": no live resource has that name`, {
      name,
      hint: 'Declare the resource, or correct the name.',
    });
  }
}
