import type { KernelCore } from './core.ts';
import type { ResourceRecord } from './resource.ts';

/** How long a closing application waits for work that nobody waits for. */
const DRAIN_MS = 5_000;

/**
 * Ends an application: detached work drains, what is left is cancelled, resources are torn down in reverse order of their
 * readiness, those with a higher `teardownPriority` later. Effect.
 *
 * Every teardown is attempted; failures are logged and answered.
 *
 * @see kernel-specs/runtime.md RT-40
 */
export async function teardown(core: KernelCore): Promise<readonly unknown[]> {
  const abandoned = await core.holds.drain(DRAIN_MS);
  if (abandoned > 0) core.logger().warn(`Abandoned ${abandoned} background task(s)`);
  core.root.cancel('closed');
  const failures = await tearDown(core, core.records);
  core.holds.close();
  return failures;
}

/** Tears down resources in reverse order of their readiness; every one is attempted, failures are logged and answered. Effect. */
export async function tearDown(core: KernelCore, records: readonly ResourceRecord[]): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const record of inTeardownOrder(records)) {
    // A resource inside another one may have gone before it, and goes with it at the latest.
    if (record.state === 'ended') continue;
    record.state = 'ended';
    try {
      await record.instance?.teardown?.();
    } catch (error) {
      core.logger(record.name, record.scope.name).error('teardown failed', {}, { error });
      failures.push(error);
    }
  }
  return failures;
}

function priority({ instance }: ResourceRecord): number {
  return instance?.teardownPriority ?? 0;
}

function inTeardownOrder(records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  return records
    .filter(({ instance }) => instance !== undefined)
    .toSorted((a, b) => priority(a) - priority(b) || b.readiness - a.readiness);
}
