import { InvokeError } from '../invoke-error.ts';
import type { Frame } from './frame.ts';
import { isObject, type Step } from './step.ts';

function messageOf(stated: unknown, code: string): string {
  if (typeof stated === 'string') return stated;
  if (stated === undefined || stated === null) return code;
  return typeof stated === 'bigint' ? stated.toString() : JSON.stringify(stated);
}

/** Fails as the author says. Nothing is recorded. @throws InvokeError the stated code, or INVALID_THROW_STEP */
export async function runThrow(step: Step, _path: string, frame: Frame): Promise<never> {
  const stated = frame.ctx.expandValue(step.throw, frame.cel);
  const { code, message, data } = isObject(stated) ? stated : {};
  if (typeof code !== 'string' || code === '') {
    throw new InvokeError('INVALID_THROW_STEP', `Cannot throw in step "${step.name}": its code is not a text`, {
      step: step.name,
      hint: 'Let the code of a throw step be a non-empty string.',
    });
  }
  throw new InvokeError(code, messageOf(message, code), data);
}
