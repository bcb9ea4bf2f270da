import { codeOf, InvokeError } from '@telorun/sdk';
import type { ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { field } from './fields.ts';
import { journalOf } from './references.ts';

/** `DurableLocal.Deliver`: gives an answer to an open wait. @see kernel-specs/durable-kinds.md DK-50 to DK-51 */
export function create(resource: ResourceManifest, created: ResourceContext): ResourceInstance {
  let ctx = created;
  return {
    init: (live) => {
      ctx = live;
    },
    invoke: async (inputs) => {
      const scope = { ctx, inputs };
      const token = field(resource, 'token', scope);
      if (typeof token !== 'string' || token === '') throw tokenRequired(resource.metadata.name);
      const payload = field(resource, 'payload', scope);
      const refused = problemsWithAwait(resource, ctx, payload);
      if (refused.length > 0) throw payloadInvalid(resource.metadata.name, refused);
      const journal = journalOf(resource['journal'], ctx, resource.metadata.name);
      const receipt = await journal.answer({ token }, payload, (schema, value) =>
        problems(() => ctx.createSchemaValidator(schema).validate(value)),
      );
      if (receipt.delivered) return { delivered: true, run: receipt.run };
      if (receipt.reason === 'schema') throw payloadInvalid(resource.metadata.name, receipt.problems ?? []);
      return { delivered: false };
    },
  };
}

function problemsWithAwait(resource: ResourceManifest, ctx: ResourceContext, payload: unknown): readonly string[] {
  if (resource['await'] === undefined) return [];
  const waiting = ctx.resolveRef(
    resource['await'],
    isAwait,
    `the await of "${resource.metadata.name}"`,
    'a Durable.Await',
  );
  if (waiting.outputType === undefined) return [];
  return problems(() => ctx.createTypeValidator(waiting.outputType).validate(payload));
}

function isAwait(instance: ResourceInstance): instance is ResourceInstance & { readonly outputType: unknown } {
  return 'outputType' in instance;
}

/** What a validator says against a value; an error that is none of its findings is thrown. */
function problems(validate: () => void): readonly string[] {
  try {
    validate();
    return [];
  } catch (error) {
    if (!(error instanceof Error) || codeOf(error) === 'ERR_CONTRACT_UNRESOLVABLE') throw error;
    return [error.message];
  }
}

function tokenRequired(resource: string): InvokeError {
  return new InvokeError(
    'ERR_DURABLE_TOKEN_REQUIRED',
    `Cannot deliver in "${resource}": its token is no string with content`,
    {
      resource,
      hint: 'Let token yield the token of the wait.',
    },
  );
}

function payloadInvalid(resource: string, found: readonly string[]): InvokeError {
  return new InvokeError('ERR_DURABLE_PAYLOAD_INVALID', `Cannot deliver in "${resource}": ${found.join('; ')}`, {
    resource,
    problems: found,
    hint: 'Give a payload that the outputType of the wait admits.',
  });
}
