import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { SyntaxAnswer } from './syntax-answer.ts';
import { answerSyntax } from './syntax-answer.ts';

/** `Xmd.Syntax`: documents what a fragment may use. */
export interface Syntax extends ResourceInstance {
  /** Pure. @throws InvokeError ERR_XMD_PROFILE, ERR_XMD_INPUT */
  invoke(inputs: unknown, context?: InvokeContext): Promise<SyntaxAnswer>;
}

export const register = (): void => undefined;

/** Makes one Xmd.Syntax. @see kernel-specs/plan.md PL-40 */
export function create(resource: ResourceManifest, ctx: ResourceContext): Syntax {
  return { invoke: async (inputs, context) => answerSyntax(inputs, resource, { ctx, context }) };
}
