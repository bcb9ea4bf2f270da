import { createCancellationSource } from '@telorun/sdk';
import type { CancellationSource, InvokeContext, ResourceInstance } from '@telorun/sdk';
import type { FencedJournal, RunProgram } from '@telorun/sdk/journal';
import { executeRun } from '../../../../kernel/durable/execution.ts';
import type { Settlement } from '../../../../kernel/durable/settlement.ts';
import type { KernelEvent } from '../../../../kernel/events.ts';
import type { KernelResourceContext } from '../../../../kernel/kinds/kind.ts';
import { fakeContext } from '../../../support/fake-context.ts';
import type { FakeContextOptions } from '../../../support/fake-context.ts';

export interface KernelOptions extends FakeContextOptions {
  readonly now?: () => number;
  readonly digest?: () => string;
  readonly root?: CancellationSource;
}

/** A resource context with what the kernel adds, and everything it was told. */
export function kernelFake(options: KernelOptions = {}) {
  const events: KernelEvent[] = [];
  const program = (workflow: string): RunProgram => ({
    manifest: 'telo.yaml',
    workflow,
    digest: options.digest?.() ?? 'sha256:one',
  });
  const detached: Promise<unknown>[] = [];
  const context = Object.assign(fakeContext(options), {
    kernel: { emit: (event: KernelEvent) => void events.push(event), program, now: options.now ?? Date.now },
    createCancellationSource: (): CancellationSource => {
      const source = createCancellationSource();
      options.root?.token.onCancelled((reason) => source.cancel(reason));
      return source;
    },
    runDetached: (work: () => Promise<unknown>): void => void detached.push(Promise.resolve().then(work)),
  });
  const made: KernelResourceContext = context;
  return { context: made, events, detached, logged: context.logged };
}

export type Body = (context: InvokeContext, inputs: unknown) => Promise<unknown>;

/** Admits a run where it is new, claims it and executes `body`, as one process would. */
export async function executeBody(
  journal: FencedJournal,
  body: Body,
  options: KernelOptions & { readonly run?: string; readonly source?: CancellationSource } = {},
): Promise<{ readonly settlement: Settlement; readonly events: readonly KernelEvent[] }> {
  const { run = 'run-1', source = createCancellationSource() } = options;
  const { context, events } = kernelFake({ zones: { steps: { replayed: 'a durable run' } }, ...options });
  await journal.admitRun(run, { inputs: { version: 1 } });
  const holder = `holder-${Math.random()}`;
  if (!(await journal.claimRun(run, holder, 60_000))) throw new Error('the claim is held');
  const settlement = await executeRun({
    run,
    workflow: 'main',
    journal,
    holder,
    context,
    source,
    inputs: () => ({ version: 1 }),
    body: (inputs, inner) => body(inner, inputs),
  });
  return { settlement, events };
}

/** The handle of a context inside a run. */
export function handleOf(context: InvokeContext) {
  if (context.durable === undefined) throw new TypeError('no durable run');
  return context.durable;
}

export async function keys(journal: FencedJournal, run = 'run-1'): Promise<readonly string[]> {
  return (await journal.readEntries(run)).map(({ path }) => path);
}

/** What a created kind does once its references are live. */
export async function initialised<T extends ResourceInstance>(
  instance: T | null | Promise<T | null>,
  context: KernelResourceContext,
): Promise<T> {
  const made = await instance;
  if (made === null) throw new TypeError('nothing was created');
  await made.init?.(context);
  return made;
}
