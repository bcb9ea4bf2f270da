import type { ControllerContext, Logger } from '@telorun/sdk';
import type { KernelCore, World } from './core.ts';

/** What a controller sees of the application as a whole, before and beside its resources. */
export class ApplicationContext implements ControllerContext {
  readonly env: World['env'];
  readonly args: World['args'];
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly log: Logger;
  protected readonly core: KernelCore;
  readonly #prefix: string;

  constructor(core: KernelCore, resource?: string, module?: string) {
    this.core = core;
    this.env = core.world.env;
    this.args = core.world.args;
    this.stdin = core.world.stdin;
    this.stdout = core.world.stdout;
    this.stderr = core.world.stderr;
    this.log = core.logger(resource, module);
    this.#prefix = resource === undefined ? '' : `${resource}.`;
  }

  on(event: string, listener: (payload: unknown) => void): () => void {
    return this.core.bus.on(event, listener);
  }

  emit(event: string, payload?: unknown): void {
    this.core.bus.emit(`${this.#prefix}${event}`, payload);
  }

  acquireHold(reason: string): () => void {
    return this.core.holds.acquire(reason);
  }

  requestExit(code: number): void {
    this.core.exitCode = Math.max(this.core.exitCode, code);
  }
}
