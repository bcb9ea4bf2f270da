import type { CommandWorld } from './command.ts';

/** What an interrupted command asks of the work under way. */
export interface Interruptible {
  cancel(reason: string): void;
}

export interface SignalWatch {
  readonly interrupted: boolean;
  stop(): void;
}

/** How long work that takes no notice is waited for. */
const GRACE_MS = 2_000;

/**
 * Cancels `work` on SIGINT and SIGTERM. Effect: a second signal, or work that takes no notice, ends the process at once;
 * every run stays resumable, since what is recorded is on disk and a dead owner's claim lapses.
 *
 * @see kernel-specs/command-line.md CL-11
 */
export function watchSignals(work: Interruptible, world: CommandWorld): SignalWatch {
  let interrupted = false;
  const hear = (signal: NodeJS.Signals): void => {
    if (interrupted) process.exit(130);
    interrupted = true;
    world.stderr.write(`Stopping (${signal}); every run can be resumed.\n`);
    setTimeout(() => process.exit(130), GRACE_MS).unref();
    work.cancel(`interrupted by ${signal}`);
  };
  process.on('SIGINT', hear);
  process.on('SIGTERM', hear);
  return {
    get interrupted() {
      return interrupted;
    },
    stop: () => {
      process.off('SIGINT', hear);
      process.off('SIGTERM', hear);
    },
  };
}
