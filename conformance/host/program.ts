import type { StepClock } from '@telorun/sdk';
import { StepEngine } from '@telorun/sdk';
import type { Acting } from '../stage.ts';
import type { RecordingContext, ResourceContextOptions } from './resource-context.ts';
import { resourceContext } from './resource-context.ts';

/** A context for resources inside the body of a run: it knows the zones of the suite and those of the backend. */
export function hostIn(acting: Acting, options: ResourceContextOptions = {}): RecordingContext {
  return resourceContext({ ...options, openZones: acting.openZones });
}

/** Runs steps over the handle of an execution, as a workflow would. Durable. Answers `{result}` by step name. */
export async function runProgram(
  steps: unknown,
  acting: Acting,
  options: {
    readonly host: RecordingContext;
    readonly clock?: StepClock;
    readonly cel?: Readonly<Record<string, unknown>>;
  },
): Promise<Readonly<Record<string, unknown>>> {
  const { host, clock, cel = {} } = options;
  const engine = new StepEngine(host, {
    kind: 'Run.Sequence',
    resourceName: 'main',
    ...(clock === undefined ? {} : { clock }),
  });
  engine.resolveInvokes(steps);
  const results: Record<string, unknown> = {};
  await engine.executeSteps(steps, results, undefined, cel, acting.context);
  return results;
}
