import { onTestFinished } from 'vitest';
import type { Program } from './drive.ts';
import { Sandbox } from './sandbox.ts';

/** What a test states of an application that evaluates one fragment, waits, and goes on. */
export interface Plan {
  readonly fragment: string;
  /** Files of the workspace, before anything happens. */
  readonly files?: Readonly<Record<string, string>>;
  readonly profile?: Partial<Profile>;
  /** Lines of the step that evaluates, beyond its name, target and inputs. */
  readonly step?: string;
  /** Steps after it; one counted call and one wait when left out. */
  readonly tail?: string;
  readonly answers?: Readonly<Record<string, unknown>>;
}

/** What a profile and its Evaluate state, as YAML. */
export interface Profile {
  readonly root: string;
  readonly allow: string;
  readonly limits: string;
  /** Revision of the write operation `Record`, and of the read operation `Look`. */
  readonly recordRevision: string;
  readonly lookRevision: string;
  /** The resource behind `Record`. */
  readonly recordTarget: string;
  readonly recordForm: string;
  /** Requests that Fetch may make, to the loopback; none when left out. */
  readonly requests?: string;
}

const PROFILE: Profile = {
  root: './workspace',
  allow: '[read, write]',
  limits: '{}',
  recordRevision: "'1'",
  lookRevision: "'1'",
  recordTarget: 'record',
  recordForm: 'self-closing',
};

const STEP = '  - { name: apply, invoke: !ref applyPlan, inputs: { text: !cel inputs.text } }';
const TAIL = `  - { name: later, invoke: !ref later }
  - { name: approve, invoke: !ref approval }`;

export const RUN = 'planned';

/**
 * Writes the application's manifest. Its fragment may use `<Record title="..." />` and `<Look title="..." />`, which are
 * counted, `<Broken />`, which fails, and `<Ask title="..." />`, which waits. Effect.
 */
export function writePlan(
  sandbox: Sandbox,
  profile: Partial<Profile> = {},
  { step = STEP, tail = TAIL }: Pick<Plan, 'step' | 'tail'> = {},
): void {
  const stated = { ...PROFILE, ...profile };
  const props = 'props: { type: object, properties: { title: { type: string } } }';
  sandbox.manifest(`
kind: Counted.Operation
metadata: { name: record }
---
kind: Counted.Operation
metadata: { name: other }
---
kind: Counted.Operation
metadata: { name: look }
---
kind: Counted.Operation
metadata: { name: broken }
fails: true
---
kind: Counted.Operation
metadata: { name: later }
---
kind: Counted.Operation
metadata: { name: repair }
---
kind: Durable.Await
metadata: { name: question }
---
kind: Durable.Await
metadata: { name: approval }
---
kind: Xmd.Profile
metadata: { name: workspace }
root: ${stated.root}
grants: [read, write]
limits: ${stated.limits}
${stated.requests === undefined ? '' : `requests: ${stated.requests}\naddresses: ['127.0.0.1/32']\n`}operations:
  - { name: Record, form: ${stated.recordForm}, grant: write, inDoubt: retry, revision: ${stated.recordRevision}, ${props}, invoke: !ref ${stated.recordTarget} }
  - { name: Look, form: self-closing, grant: read, revision: ${stated.lookRevision}, ${props}, invoke: !ref look }
  - { name: Broken, form: self-closing, grant: read, revision: '1', invoke: !ref broken }
  - { name: Ask, form: self-closing, grant: read, revision: '1', ${props}, invoke: !ref question, inputs: { request: !cel props } }
---
kind: Xmd.Evaluate
metadata: { name: applyPlan }
profile: !ref workspace
allow: ${stated.allow}
---
kind: DurableLocal.Workflow
metadata: { name: main }
journal: !ref runs
inputs: { text: !cel inputs.text }
steps:
${step}
${tail}
`);
}

/** A sandbox with the application in it, removed when the test is over. Effect. */
export function makePlan(plan: Plan): { sandbox: Sandbox; program: Program } {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  return { sandbox, program: preparePlan(sandbox, plan) };
}

/** Puts the application and its files into a sandbox. Effect. */
export function preparePlan(sandbox: Sandbox, { fragment, files = {}, profile, answers, ...steps }: Plan): Program {
  for (const [path, text] of Object.entries(files)) sandbox.put(path, text);
  writePlan(sandbox, profile, steps);
  const start = ['run', 'telo.yaml', '--run-id', RUN, '--inputs', JSON.stringify({ text: fragment })];
  return { run: RUN, start, answers: { 'steps/approve': { agreed: true }, ...answers } };
}
