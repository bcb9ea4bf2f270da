import { KEY } from './plan-scene.ts';
import type { WorldOptions } from './real-kernel.ts';
import { World } from './real-kernel.ts';

/** Reads, then writes into a folder: every kind of effect, nested ones too. */
export const FRAGMENT = 'Look: <File path="a.md" />\n<Dir path="out"><File path="b.md">B</File></Dir>\n';

/** What an application of these tests states. */
export interface ContentDocuments {
  /** Lines of the Evaluate, beside kind, name, profile and allow. */
  readonly evaluate: string;
  readonly allow?: string;
  readonly grants?: string;
  /** Lines of the profile's operations. */
  readonly operations?: string;
  /** Whole documents, each ended by `---`. */
  readonly others?: string;
  /** Lines of the workflow's steps; one that evaluates when left out. */
  readonly steps?: string;
}

export const APPLY = '  - { name: apply, invoke: !ref apply }\n';

/** An application with the profile `profile`, the Evaluate `apply`, and the workflow `flow` over the inputs of its call. */
export function contentDocuments(stated: ContentDocuments): string {
  const {
    evaluate,
    allow = '[read, write]',
    grants = '[read, write]',
    operations,
    others = '',
    steps = APPLY,
  } = stated;
  return `${others}kind: Xmd.Profile
metadata: { name: profile }
root: ./work
grants: ${grants}
${operations === undefined ? '' : `operations:\n${operations}`}---
kind: Xmd.Evaluate
metadata: { name: apply }
profile: !ref profile
allow: ${allow}
${evaluate}---
kind: DurableLocal.Workflow
metadata: { name: flow }
journal: !ref runs
inputs: { text: !cel "has(inputs.text) ? inputs.text : ''" }
steps:
${steps}`;
}

export function contentWorld(stated: ContentDocuments, options: WorldOptions = {}): World {
  return new World(contentDocuments(stated), options);
}

/** A resource that answers a text, and logs each of its calls. */
export function telling(name: string, text: string): string {
  return `kind: Shop.Call\nmetadata: { name: ${name} }\nanswer: !literal ${JSON.stringify(text)}\n---\n`;
}

/** The steps of a content that asks one producer. */
export function producing(name = 'producer'): string {
  return `content:\n  - { name: plan, invoke: !ref ${name} }\n`;
}

export const MODEL_IMPORTS = '  AiOpenai: oci://ghcr.io/telorun/ai-openai@1.0.0\n';

/** A plan over a model at `baseUrl`. */
export function planner(baseUrl: string, fields = 'allow: [read, write]'): string {
  return `kind: AiOpenai.OpenaiModel
metadata: { name: writer }
model: small-1
apiKey: ${KEY}
baseUrl: ${baseUrl}
---
kind: Xmd.Plan
metadata: { name: planner }
model: !ref writer
${fields}
---
`;
}
