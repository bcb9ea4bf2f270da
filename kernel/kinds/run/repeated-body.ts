import { durableHandleOf, journalingSuppressed, StepEngine, withCatches } from '@telorun/sdk';
import type { DecisionKind, InvokeContext, ResourceContext, ResourceManifest } from '@telorun/sdk';

/** One call of a kind with a body. */
export interface BodyCall {
  readonly inputs: unknown;
  readonly ctx: InvokeContext | undefined;
}

/** What kinds that repeat a body share: its engine, `catches` around the whole, decisions on record. */
export class RepeatedBody {
  readonly resource: ResourceManifest;
  readonly ctx: ResourceContext;
  readonly #engine: StepEngine;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.resource = resource;
    this.ctx = ctx;
    this.#engine = new StepEngine(ctx, { kind: resource.kind, resourceName: resource.metadata.name });
  }

  get name(): string {
    return this.resource.metadata.name;
  }

  /** Effect: registers the inline resources of the steps. */
  init(): void {
    this.#engine.resolveInvokes(this.resource['steps']);
  }

  /** Performs under the resource's `catches`, where it states any. */
  async guarded({ inputs, ctx }: BodyCall, perform: () => Promise<unknown>): Promise<unknown> {
    const { catches } = this.resource;
    if (catches === undefined) return perform();
    const guarded = { ctx: this.ctx, resourceName: this.name, catches, cel: { inputs } };
    return withCatches(ctx === undefined ? guarded : { ...guarded, invokeCtx: ctx }, perform);
  }

  /** Does the steps once below `path`, with `scope` beside `steps`; answers them as `{result}` by name. */
  async once(
    scope: Readonly<Record<string, unknown>>,
    ctx: InvokeContext | undefined,
    path: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const steps: Record<string, unknown> = {};
    await this.#engine.executeSteps(this.resource['steps'], steps, undefined, scope, ctx, path);
    return steps;
  }

  /** Durable: the decision at `path`, computed once for the run. Outside a run, and in a region journaled as a whole, here. */
  async decide<T>(ctx: InvokeContext | undefined, path: string, kind: DecisionKind, compute: () => T): Promise<T> {
    const handle = durableHandleOf(ctx);
    if (handle === undefined || journalingSuppressed(this.ctx, ctx, handle)) return compute();
    return handle.decide(path, kind, compute);
  }
}
