import { pathSegment } from '../step-path.ts';
import { decide, type Frame } from './frame.ts';
import { isObject, type Step } from './step.ts';

/** Durable: the key, a string, at `<path>/switch`. */
export async function runSwitch(step: Step, path: string, frame: Frame): Promise<void> {
  const key = await decide(frame, `${path}/switch`, 'switch', () =>
    String(frame.ctx.expandValue(step.switch, frame.cel)),
  );
  if (isObject(step.cases) && Object.hasOwn(step.cases, key)) {
    return frame.runBody(step.cases[key], `${path}/cases/${pathSegment(key)}`, frame);
  }
  if (step.default !== undefined) return frame.runBody(step.default, `${path}/default`, frame);
  throw new Error(`Cannot choose a case in step "${step.name}": none is named "${key}" and there is no default`);
}
