import { decideTruth, type Frame } from './frame.ts';
import type { Step } from './step.ts';

/** Turns after which timers and signals are let in: a replay, or a body without effects, never waits by itself. */
const TURNS_MAX = 1_000;

/** Durable: the condition of each turn, at `<path>/while[n]`. */
export async function runWhile(step: Step, path: string, frame: Frame): Promise<void> {
  // Bounded by the author's condition; a cancellation ends it between turns.
  for (let turn = 0; await decideTruth(frame, `${path}/while[${turn}]`, 'condition', step.while); turn += 1) {
    if (turn % TURNS_MAX === TURNS_MAX - 1) await new Promise((resolve) => setImmediate(resolve));
    frame.invokeCtx?.cancellation.throwIfCancelled();
    await frame.runBody(step.do, `${path}/do[${turn}]`, frame);
  }
}
