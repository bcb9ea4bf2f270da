import type { DurableRunHandle, InvokeContext, ResourceContext, ResourceManifest } from '@telorun/sdk';
import { durableHandleOf, StepEngine, stepPath } from '@telorun/sdk';
import { isMembers } from './admission/shape.ts';
import type { NarrowedSite } from './content-zone.ts';
import { carrying } from './content-zone.ts';
import { inputRefused } from './errors.ts';
import type { ContentRequest } from './evaluate-input.ts';
import { assertNoWaitBelow, passesUnrecorded } from './performance/signals.ts';

/** The slot of the steps, and the segment of their paths. */
const CONTENT = 'content';

/** One call of the producer. */
interface ContentPlace {
  readonly context: InvokeContext;
  /** Path of the occurrence; empty outside a durable run. */
  readonly base: string;
  readonly narrowed: NarrowedSite;
}

/** What makes the text of the paired form. */
export interface Producer {
  /** Effect: registers what the steps declare in place. Called once, in `init`. */
  init(ctx: ResourceContext): void;
  /**
   * Runs the steps and answers their text.
   *
   * Durable: each step at `<base>/content/<step>`, below the occurrence. A text comes from there on every later entry.
   *
   * @throws InvokeError ERR_XMD_INPUT when the last result is no text; what a step throws, as it is
   * @see kernel-specs/evaluate.md EV-15
   */
  produce(content: ContentRequest, place: ContentPlace): Promise<string>;
}

/** The producer of one `Xmd.Evaluate`. Pure. */
export function openProducer(resource: ResourceManifest, created: ResourceContext): Producer {
  const owner = { kind: resource.kind, resourceName: resource.metadata.name };
  let ctx = created;
  let engine = new StepEngine(created, owner);
  return {
    init(live) {
      ctx = live;
      engine = new StepEngine(live, owner);
      if (resource[CONTENT] !== undefined) engine.resolveInvokes(resource[CONTENT]);
    },
    async produce({ steps, inputs }, { context, base, narrowed }) {
      const made = resultsInOrder();
      const path = stepPath(base, CONTENT);
      await stopping(context, () =>
        ctx.withZone(
          CONTENT,
          (zoned, entry) =>
            carrying(entry, narrowed, () =>
              engine.executeSteps(steps, made.results, undefined, { inputs }, zoned, path),
            ),
          context,
        ),
      );
      assertEnded(durableHandleOf(context), path);
      return textOf(made.last());
    },
  };
}

/** Runs the steps to their end; what they threw while they were being stopped is a cancellation. */
async function stopping({ cancellation }: InvokeContext, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!passesUnrecorded(error)) cancellation.throwIfCancelled();
    throw error;
  }
  cancellation.throwIfCancelled();
}

/** A step that caught the signal of a wait below it has made a text that nobody waited for. */
function assertEnded(handle: DurableRunHandle | undefined, path: string): void {
  if (handle !== undefined) assertNoWaitBelow(handle, path);
}

/** Results by step name, and the one written last: also when a loop writes it again, and whatever the steps are named. */
function resultsInOrder(): { readonly results: Record<string, unknown>; readonly last: () => unknown } {
  let last: unknown;
  const results = new Proxy<Record<string, unknown>>(Object.create(null), {
    set(target, name, result) {
      last = result;
      return Reflect.set(target, name, result);
    },
  });
  return { results, last: () => last };
}

function textOf(last: unknown): string {
  const result = isMembers(last) ? last['result'] : undefined;
  const text = isMembers(result) ? result['text'] : result;
  if (typeof text === 'string') return text;
  throw inputRefused(
    'content',
    'the last result of its content is no text',
    'Let content end with a step that answers a string, or an object with a string text.',
  );
}
