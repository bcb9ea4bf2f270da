import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { UNCANCELLABLE_CONTEXT } from '@telorun/sdk';
import { openProducer } from './content.ts';
import { readRequest } from './evaluate-input.ts';
import { evaluate } from './evaluation.ts';
import type { EvaluationResult } from './performance/outcome.ts';
import type { PreflightAnswer } from './preflight-answer.ts';
import { answerPreflight } from './preflight-answer.ts';
import { profileFor } from './profiles.ts';
import { takeApproval } from './stated-approval.ts';

/** `Xmd.Evaluate`: evaluates a fragment under a profile, each of its effects once in a durable run. */
export interface Evaluate extends ResourceInstance {
  /** Durable: see `evaluate`. @throws InvokeError every ERR_XMD_ code, and what an operation of the host throws */
  invoke(inputs: unknown, context?: InvokeContext): Promise<EvaluationResult>;
  /** The same check without effect or record; a text in `inputs` stands in for the resource's own. */
  preflight(inputs: unknown): Promise<PreflightAnswer>;
}

export const register = (): void => undefined;

/** Makes one Xmd.Evaluate. @see kernel-specs/evaluate.md */
export function create(resource: ResourceManifest, ctx: ResourceContext): Evaluate {
  const { name } = resource.metadata;
  const producer = openProducer(resource, ctx);
  return {
    init: (live) => producer.init(live),
    async invoke(inputs, context = UNCANCELLABLE_CONTEXT) {
      const profile = profileFor(ctx, resource['profile']);
      const { approved, inputs: rest } = takeApproval(inputs, resource);
      const request = { ...readRequest(rest, resource, profile), ...(approved === undefined ? {} : { approved }) };
      return evaluate(request, profile, { ctx, context, name, producer });
    },
    preflight: (inputs) =>
      answerPreflight(
        inputs,
        statesText(inputs) ? { ...resource, text: undefined, content: undefined } : resource,
        ctx,
      ),
  };
}

function statesText(inputs: unknown): boolean {
  return typeof inputs === 'object' && inputs !== null && 'text' in inputs && inputs.text !== undefined;
}
