import { randomBytes } from 'node:crypto';
import { assertFaithful, assertMaySuspend, InvokeError, parkRun } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import { ambientRun } from './ambient-run.ts';
import type { AmbientRun } from './ambient-run.ts';
import { durationMs } from '../kinds/timer/duration.ts';
import { field, input } from './fields.ts';
import { kernelContext } from '../kinds/kernel-context.ts';
import { schemaOf } from './type-schema.ts';
import { waitingHandle } from './waiting.ts';
import type { WaitUntil } from './waiting.ts';

/** Bytes of a token nobody stated: more than can be guessed. */
const TOKEN_BYTES = 24;

/** `Durable.Await`: the answer is the value of the step. @see kernel-specs/durable-kinds.md DK-30 to DK-34 */
export function create(resource: ResourceManifest, created: ResourceContext): AwaitInstance {
  let ctx = kernelContext(created);
  return {
    outputType: resource['outputType'],
    init: (live) => {
      ctx = kernelContext(live);
    },
    invoke: async (inputs, invokeCtx?: InvokeContext) => {
      const run = ambientRun(resource, invokeCtx);
      assertMaySuspend(ctx, invokeCtx, { resource: run.resource });
      // Where the region around it is journaled as a whole, nothing replays the answer but this.
      const answer = waitingHandle(run.handle)?.answerAt(run.path);
      if (answer !== undefined) return answer.value;
      const scope = { ctx, inputs };
      const token = await run.handle.decide(`${run.path}/token`, 'value', () =>
        tokenOf(field(resource, 'token', scope), run),
      );
      const timeout = input(inputs, 'timeout') ?? field(resource, 'timeout', scope);
      const at =
        timeout === undefined
          ? undefined
          : await deadline(run, () => ctx.kernel.now() + durationMs(timeout, `"timeout" of ${run.resource}`));
      const request = input(inputs, 'request');
      assertFaithful(request, { run: run.handle.runId, path: run.path });
      const schema = schemaOf(resource['outputType'], ctx);
      if (at !== undefined && at <= ctx.kernel.now()) return expire(run, at);
      const until: WaitUntil = {
        token,
        ...(at === undefined ? {} : { at }),
        ...(schema === undefined ? {} : { schema }),
        ...(request === undefined ? {} : { request }),
      };
      return parkRun(run.handle, { path: run.path, resource: run.resource }, until);
    },
  };
}

export interface AwaitInstance extends ResourceInstance {
  /** What an answer must be, as the resource states it. */
  readonly outputType: unknown;
}

function deadline({ handle, path }: AmbientRun, compute: () => number): Promise<number> {
  return handle.decide(`${path}/deadline`, 'value', () => Math.ceil(compute()));
}

function tokenOf(stated: unknown, { handle, resource }: AmbientRun): string {
  if (stated === undefined) return randomBytes(TOKEN_BYTES).toString('hex');
  if (typeof stated === 'string' && stated !== '') return stated;
  throw new InvokeError(
    'ERR_DURABLE_TOKEN_REQUIRED',
    `Cannot wait in "${resource}": its token is no string with content`,
    {
      run: handle.runId,
      resource,
      hint: 'Let token yield a non-empty string, or leave it out.',
    },
  );
}

/** The wait is closed before its timeout is thrown; an answer that came first wins. */
async function expire({ handle, path, resource }: AmbientRun, at: number): Promise<unknown> {
  const answer = await waitingHandle(handle)?.expireWait(path);
  if (answer !== undefined) return answer.value;
  throw new InvokeError('ERR_DURABLE_AWAIT_TIMEOUT', `Cannot go on from "${resource}": no answer came in time`, {
    run: handle.runId,
    path,
    resource,
    deadline: at,
    hint: 'Catch the timeout in the workflow, or give the wait more time.',
  });
}
