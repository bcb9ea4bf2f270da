import type { Frame } from './frame.ts';
import { runIf } from './if.ts';
import { executeInvokeStep } from './invoke.ts';
import type { Step } from './step.ts';
import { runSwitch } from './switch.ts';
import { runThrow } from './throw.ts';
import { runTry } from './try.ts';
import { runValue } from './value.ts';
import { runWhile } from './while.ts';

type StepForm = (step: Step, path: string, frame: Frame) => Promise<void>;
type FormKey = 'invoke' | 'if' | 'while' | 'switch' | 'try' | 'throw' | 'value';

/** The forms of a step, in the order in which its body key is looked for. */
const FORMS: readonly (readonly [FormKey, StepForm])[] = [
  ['invoke', executeInvokeStep],
  ['if', runIf],
  ['while', runWhile],
  ['switch', runSwitch],
  ['try', runTry],
  ['throw', runThrow],
  ['value', runValue],
];

/** What runs a step, by its body key. Pure. */
export function formOf(step: Step): StepForm {
  for (const [key, form] of FORMS) if (Object.hasOwn(step, key)) return form;
  throw new Error(`Cannot run step "${step.name}": it has none of ${FORMS.map(([key]) => key).join(', ')}`);
}
