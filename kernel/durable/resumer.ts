import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { durationMs } from '../kinds/timer/duration.ts';
import { kernelContext } from '../kinds/kernel-context.ts';
import { workflowOf } from './references.ts';
import type { Settlement } from './settlement.ts';
import { Sweeper } from './sweep.ts';
import { startTimer } from '../kinds/timer/timer.ts';

const INTERVAL = '5s';

export interface ResumerInstance extends ResourceInstance {
  /** Executes the due runs of its workflow once. */
  sweep(): Promise<readonly Settlement[]>;
}

/** `DurableLocal.Resumer`: keeps executing what is due. @see kernel-specs/durable-kinds.md DK-55 */
export function create(resource: ResourceManifest, created: ResourceContext): ResumerInstance {
  return new Resumer(resource, created);
}

class Resumer implements ResumerInstance {
  readonly #resource: ResourceManifest;
  #ctx: ReturnType<typeof kernelContext>;
  #sweeper: Sweeper | undefined;
  #sweeping: Promise<readonly Settlement[]> | undefined;
  #wakeAgain = false;
  #stopped = false;
  #stopTimer: (() => void) | undefined;
  readonly #onStop: (() => void)[] = [];

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#resource = resource;
    this.#ctx = kernelContext(ctx);
  }

  init(ctx: ResourceContext): void {
    this.#ctx = kernelContext(ctx);
  }

  /** Effect: holds the process, and sweeps now, at each interval and when the journal says so. */
  async run(invokeCtx?: InvokeContext): Promise<void> {
    const intervalMs = durationMs(
      this.#resource['interval'] ?? INTERVAL,
      `"interval" of ${this.#resource.metadata.name}`,
    );
    const { journal } = this.#workflow();
    this.#onStop.push(this.#ctx.acquireHold(`resumer ${this.#resource.metadata.name}`));
    const unsubscribe = journal.onWake?.(() => this.#wake(intervalMs));
    if (unsubscribe !== undefined) this.#onStop.push(unsubscribe);
    const forget = invokeCtx?.cancellation.onCancelled(() => this.teardown());
    if (forget !== undefined) this.#onStop.push(forget);
    this.#wake(intervalMs);
  }

  async sweep(): Promise<readonly Settlement[]> {
    this.#sweeper ??= new Sweeper(this.#workflow(), {
      log: this.#ctx.log,
      now: () => this.#ctx.kernel.now(),
      stopped: () => this.#stopped,
    });
    this.#sweeping ??= this.#sweeper.sweep().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  teardown(): void {
    this.#stopped = true;
    this.#stopTimer?.();
    for (const stop of this.#onStop.splice(0)) stop();
  }

  #workflow(): ReturnType<typeof workflowOf> {
    return workflowOf(this.#resource['workflow'], this.#ctx, this.#resource.metadata.name);
  }

  /** One sweep at a time; a wake during one asks for another right after it. */
  #wake(intervalMs: number): void {
    if (this.#stopped) return;
    if (this.#sweeping !== undefined) {
      this.#wakeAgain = true;
      return;
    }
    this.#stopTimer?.();
    this.#ctx.runDetached(async () => {
      try {
        await this.sweep();
      } finally {
        this.#rest(intervalMs);
      }
    });
  }

  #rest(intervalMs: number): void {
    if (this.#stopped) return;
    const again = this.#wakeAgain;
    this.#wakeAgain = false;
    this.#stopTimer = startTimer(again ? 0 : intervalMs, () => this.#wake(intervalMs), { holdsProcess: true });
  }
}
