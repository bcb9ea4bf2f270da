/** What an interrupted command asks of the work under way. */
export interface Interruptible {
  cancel(reason: string): void;
}

export interface SignalWatch {
  readonly interrupted: boolean;
  stop(): void;
}

/**
 * Cancels `work` on SIGINT and SIGTERM. Effect: a second signal ends the process at once; every run stays resumable,
 * since what is recorded is on disk and a dead owner's claim lapses.
 */
export function watchSignals(work: Interruptible): SignalWatch {
  let interrupted = false;
  const hear = (signal: NodeJS.Signals): void => {
    if (interrupted) process.exit(130);
    interrupted = true;
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
