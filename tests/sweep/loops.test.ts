import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModelServer } from '../support/model-server/model-server.ts';
import type { ModelServer } from '../support/model-server/model-server.ts';
import { answersOf } from '../support/processes/examples.ts';
import { countedAnswers, evidenceLoop, planAndApprove } from '../support/processes/loops.ts';
import { forget, pointsOf, report, sweep, undisturbed } from '../support/processes/sweep.ts';
import type { Subject, Undisturbed } from '../support/processes/sweep.ts';

/** Half a dozen processes; on a loaded machine each takes seconds. */
const UNDISTURBED_MS = 300_000;
const LOOPS = { 'evidence-loop': evidenceLoop, 'plan-and-approve': planAndApprove };

describe.each(['evidence-loop', 'plan-and-approve'] as const)('the example %s', (name) => {
  let server: ModelServer;
  let subject: Subject;
  let whole: Undisturbed;
  beforeAll(async () => {
    server = await openModelServer();
    countedAnswers(server, await answersOf(name));
    subject = LOOPS[name](server);
    whole = await undisturbed(subject);
  }, UNDISTURBED_MS);
  afterAll(async () => {
    forget(whole);
    await server.close();
  });

  it('R9 comes to the same end wherever it is killed, and asks again only what had lost its answer', async () => {
    const points = pointsOf(whole);
    const repeated = await sweep(subject, whole, points);
    report(name, points, repeated);

    // Each request loses its record at one point: after it was answered, ahead of the append.
    const asked = whole.log.flatMap((line) => (line.kind === 'call' ? [`call ${line.name}`] : []));
    expect(new Set(asked).size).toBe(asked.length);
    const again = repeated.flatMap((one) => one.again.filter((what) => what.startsWith('call ')));
    expect(again).toEqual(asked);
  });
});
