import { codeOf } from '@telorun/sdk';
import type { Logger } from '@telorun/sdk';
import { toRunError } from './errors.ts';
import { SWEEP_RUNS } from './limits.ts';
import type { Settlement } from './settlement.ts';
import type { WorkflowInstance } from './workflow-instance.ts';

export interface SweepOptions {
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Ends the sweep between two runs. */
  readonly stopped?: () => boolean;
}

/**
 * Executes the due runs of one workflow, one after another. A run that an execution here left with a problem is not
 * tried again by this sweeper: what blocks it does not pass by itself.
 *
 * @see kernel-specs/durable-kinds.md DK-55 to DK-56
 */
export class Sweeper {
  readonly #workflow: WorkflowInstance;
  readonly #options: SweepOptions;
  readonly #blocked = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(workflow: WorkflowInstance, options: SweepOptions) {
    this.#workflow = workflow;
    this.#options = options;
  }

  /** Effect: executes every run that is due, each at most once. Answers how each stands now. */
  async sweep(): Promise<readonly Settlement[]> {
    const seen = new Set<string>();
    const settlements: Settlement[] = [];
    for (;;) {
      const due = await this.#due(seen);
      if (due.length === 0) return settlements;
      for (const run of due) {
        if (this.#options.stopped?.() === true) return settlements;
        seen.add(run);
        const settlement = await this.#execute(run);
        if (settlement !== undefined) settlements.push(settlement);
      }
    }
  }

  /** Runs passed over are asked for on top: they must not hide the others. */
  async #due(seen: ReadonlySet<string>): Promise<readonly string[]> {
    const passed = new Set([...seen, ...this.#blocked, ...this.#foreign]);
    const due = await this.#workflow.journal.dueRuns(this.#options.now(), SWEEP_RUNS + passed.size);
    return due.filter((run) => !passed.has(run));
  }

  async #execute(run: string): Promise<Settlement | undefined> {
    const { log } = this.#options;
    try {
      const record = await this.#workflow.journal.readRun(run);
      if (
        record === undefined ||
        (record.program !== undefined && record.program.workflow !== this.#workflow.program.workflow)
      ) {
        this.#foreign.add(run);
        return undefined;
      }
      const settlement = await this.#workflow.execute(run);
      log.info('durable.run.resumed', { run, status: settlement.status });
      if (settlement.problem !== undefined) this.#block(run, settlement.problem);
      return settlement;
    } catch (error) {
      // Another process was faster; everything else keeps the run as it is.
      if (codeOf(error) !== 'ERR_DURABLE_RUN_BUSY') this.#block(run, toRunError(error));
      return undefined;
    }
  }

  #block(run: string, { code, message }: { readonly code: string; readonly message: string }): void {
    // A claim that moved on is nobody's fault: the run may come back here.
    if (code !== 'ERR_DURABLE_CLAIM_LOST') this.#blocked.add(run);
    this.#options.log.warn('durable.run.blocked', { run, code, reason: message });
  }
}
