import { nameProblem } from '../manifest/names.ts';
import { isRecord } from '../manifest/record.ts';
import type { FieldPath } from '../manifest/model.ts';
import { suggestion } from './findings.ts';

type Step = Readonly<Record<string, unknown>>;

/** Members of each step form beside `name`: those it must have, and those it may have. */
const FORMS: Readonly<Record<string, { readonly required: readonly string[]; readonly optional: readonly string[] }>> =
  {
    invoke: { required: [], optional: ['inputs', 'when', 'retry', 'timeout'] },
    if: { required: ['then'], optional: ['elseif', 'else'] },
    while: { required: ['do'], optional: [] },
    switch: { required: ['cases'], optional: ['default'] },
    try: { required: [], optional: ['catch', 'finally', 'when'] },
    throw: { required: [], optional: [] },
    value: { required: [], optional: [] },
  };

export interface StepProblem {
  readonly code: string;
  readonly message: string;
  readonly path: FieldPath;
  readonly atKey?: boolean;
  readonly hint?: string | undefined;
}

/** A list of steps inside a step, and whether its expressions see `error`. */
export interface NestedBody {
  readonly steps: unknown;
  readonly path: FieldPath;
  readonly seesError: boolean;
}

/** What is wrong with the shape of one step: its name, its one body, the members of that form. Pure. */
export function stepProblems(step: unknown, path: FieldPath): StepProblem[] {
  if (!isRecord(step)) return [violation('A step must be a map with a name and one body', path)];
  const found = [...nameProblems(step, path)];
  const forms = Object.keys(FORMS).filter((form) => Object.hasOwn(step, form));
  const [form] = forms;
  const shape = form === undefined ? undefined : FORMS[form];
  if (form === undefined || shape === undefined) {
    found.push(violation(`A step must have one of ${Object.keys(FORMS).join(', ')}`, path));
    return found;
  }
  if (forms.length > 1) {
    found.push({
      ...violation(`A step must have one body, not ${forms.join(' and ')}`, [...path, forms[1] ?? '']),
      atKey: true,
    });
    return found;
  }
  const known = ['name', form, ...shape.required, ...shape.optional];
  for (const key of Object.keys(step)) {
    if (known.includes(key)) continue;
    const message = `Unknown field '${key}' of a step with ${form}`;
    found.push({ ...violation(message, [...path, key]), atKey: true, hint: suggestion(key, known) });
  }
  for (const key of shape.required) {
    if (!Object.hasOwn(step, key)) found.push(violation(`A step with ${form} must have ${key}`, path));
  }
  return [...found, ...shapeProblems(step, form, path)];
}

function nameProblems(step: Step, path: FieldPath): StepProblem[] {
  const { name } = step;
  if (name === undefined) return [violation('A step must have a name', path)];
  if (typeof name !== 'string') return [violation('The name of a step must be a text', [...path, 'name'])];
  const problem = nameProblem(name);
  return problem === undefined ? [] : [{ code: 'INVALID_NAME', message: problem, path: [...path, 'name'] }];
}

function shapeProblems(step: Step, form: string, path: FieldPath): StepProblem[] {
  const found: StepProblem[] = [];
  for (const body of bodiesOf(step, path)) {
    if (!Array.isArray(body.steps))
      found.push(violation(`'${String(body.path.at(-1))}' must be a list of steps`, body.path));
  }
  if (form === 'switch' && step['cases'] !== undefined && !isRecord(step['cases'])) {
    found.push(violation('cases must be a map from key to steps', [...path, 'cases']));
  }
  if (form === 'throw' && !(isRecord(step['throw']) && step['throw']['code'] !== undefined)) {
    found.push(violation('throw must be a map with a code', [...path, 'throw']));
  }
  const branches = step['elseif'];
  if (form !== 'if' || branches === undefined) return found;
  if (!Array.isArray(branches)) return [...found, violation('elseif must be a list', [...path, 'elseif'])];
  for (const [index, branch] of branches.entries()) {
    if (!isRecord(branch) || branch['if'] === undefined || branch['then'] === undefined) {
      found.push(violation('An elseif must have if and then', [...path, 'elseif', index]));
    }
  }
  return found;
}

/** Every list of steps directly inside a step. Pure. */
export function bodiesOf(step: Step, path: FieldPath): NestedBody[] {
  const direct = ['then', 'else', 'do', 'default', 'try', 'catch', 'finally'].flatMap((key) =>
    step[key] === undefined
      ? []
      : [{ steps: step[key], path: [...path, key], seesError: key === 'catch' || key === 'finally' }],
  );
  const cases = isRecord(step['cases']) ? Object.entries(step['cases']) : [];
  const elseifs: unknown[] = Array.isArray(step['elseif']) ? step['elseif'] : [];
  return [
    ...direct,
    ...cases.map(([key, steps]) => ({ steps, path: [...path, 'cases', key], seesError: false })),
    ...elseifs.flatMap((branch, index) =>
      isRecord(branch) && branch['then'] !== undefined
        ? [{ steps: branch['then'], path: [...path, 'elseif', index, 'then'], seesError: false }]
        : [],
    ),
  ];
}

/** Names of all steps of a body, nested ones included: they share one map of results. Pure. */
export function stepNames(steps: unknown): Set<string> {
  const names = new Set<string>();
  const open: unknown[] = [steps];
  for (let list = open.pop(); list !== undefined; list = open.pop()) {
    for (const step of Array.isArray(list) ? list : []) {
      if (!isRecord(step)) continue;
      if (typeof step['name'] === 'string') names.add(step['name']);
      open.push(...bodiesOf(step, []).map((body) => body.steps));
    }
  }
  return names;
}

function violation(message: string, path: FieldPath): StepProblem {
  return { code: 'SCHEMA_VIOLATION', message, path };
}
