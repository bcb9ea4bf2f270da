import { decideTruth, type Frame } from './frame.ts';
import { isObject, type Step } from './step.ts';

/** Durable: each predicate reached, at `<path>/if` and `<path>/elseif[i]`. */
export async function runIf(step: Step, path: string, frame: Frame): Promise<void> {
  if (await decideTruth(frame, `${path}/if`, 'predicate', step.if)) {
    return frame.runBody(step.then, `${path}/then`, frame);
  }
  const branches: readonly unknown[] = Array.isArray(step.elseif) ? step.elseif : [];
  for (const [index, branch] of branches.entries()) {
    const { if: predicate, then } = isObject(branch) ? branch : {};
    const at = `${path}/elseif[${index}]`;
    if (await decideTruth(frame, at, 'predicate', predicate)) return frame.runBody(then, `${at}/then`, frame);
  }
  return frame.runBody(step.else, `${path}/else`, frame);
}
