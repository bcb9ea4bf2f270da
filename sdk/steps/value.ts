import { InvokeError } from '../invoke-error.ts';
import { rethrowPassing, toSequenceError } from './failure.ts';
import { decide, type Frame } from './frame.ts';
import type { Step } from './step.ts';

/** Durable: the value, at the step's own path. */
export async function runValue(step: Step, path: string, frame: Frame): Promise<void> {
  let result: unknown;
  try {
    result = await decide(frame, path, 'value', () => frame.ctx.expandValue(step.value, frame.cel));
  } catch (error) {
    rethrowPassing(error, frame, step.name);
    const { code, message, data } = toSequenceError(error, step.name);
    throw new InvokeError(code, `Step "${step.name}": ${message}`, { step: step.name, data }, { cause: error });
  }
  frame.results[step.name] = { result };
}
