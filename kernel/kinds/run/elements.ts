import { bodyPath, InvokeError, repeatPath, stepPath } from '@telorun/sdk';
import { fanOut } from './fan-out.ts';
import type { BodyCall, RepeatedBody } from './repeated-body.ts';

export interface ElementsCall extends BodyCall {
  /** Whether a live stream may be walked, too; inside a run nothing but a list can be recorded. */
  readonly streams: boolean;
}

/** One element whose steps are done. */
export interface DoneElement {
  readonly index: number;
  /** What the steps of the element saw. */
  readonly scope: Readonly<Record<string, unknown>>;
  readonly steps: Readonly<Record<string, unknown>>;
}

/**
 * Does the steps of a body for every element of its `collection`, at most `concurrency` at once.
 *
 * Durable: the collection at `<p>/collection`, so that a continuation walks the same elements; element n is below
 * `<p>/iterate[n]`.
 *
 * @throws InvokeError INVALID_COLLECTION, INVALID_CONCURRENCY
 * @see kernel-specs/run-kinds.md RK-20 to RK-24
 */
export async function overElements(
  body: RepeatedBody,
  call: ElementsCall,
  done?: (element: DoneElement) => void,
): Promise<void> {
  const { inputs, ctx } = call;
  const base = bodyPath(ctx);
  const collection = await collectionOf(body, call, base);
  const items = Array.isArray(collection) ? collection : undefined;
  const options = { concurrency: concurrencyOf(body, inputs), stopped: () => ctx?.cancellation.isCancelled === true };
  await fanOut(collection, options, async (item, index) => {
    const scope = { inputs, item, index: BigInt(index), ...(items === undefined ? {} : { items }) };
    const steps = await body.once(scope, ctx, repeatPath(base, index));
    done?.({ index, scope, steps });
  });
  ctx?.cancellation.throwIfCancelled();
}

async function collectionOf(
  body: RepeatedBody,
  { inputs, ctx, streams }: ElementsCall,
  base: string,
): Promise<unknown[] | AsyncIterable<unknown>> {
  const compute = (): unknown => body.ctx.expandValue(body.resource['collection'], { inputs });
  const collection = await body.decide(ctx, stepPath(base, 'collection'), 'collection', compute);
  if (Array.isArray(collection)) return collection;
  if (streams && isAsyncIterable(collection)) return collection;
  throw new InvokeError('INVALID_COLLECTION', `Cannot iterate in "${body.name}": the collection is not a list`, {
    resource: body.name,
    hint: 'Let the collection answer a list.',
  });
}

function concurrencyOf(body: RepeatedBody, inputs: unknown): number {
  const value = body.ctx.expandValue(body.resource['concurrency'] ?? 1, { inputs });
  const limit = typeof value === 'bigint' ? Number(value) : value;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1) return limit;
  const message = `Cannot iterate in "${body.name}": its concurrency is not a whole number from 1`;
  throw new InvokeError('INVALID_CONCURRENCY', message, {
    resource: body.name,
    hint: 'Let the concurrency answer a whole number from 1.',
  });
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
