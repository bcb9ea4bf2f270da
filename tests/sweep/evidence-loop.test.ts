import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModelServer } from '../support/model-server/model-server.ts';
import type { ModelServer } from '../support/model-server/model-server.ts';
import { countedAnswers, evidenceLoop } from '../support/processes/evidence-loop.ts';
import { answersOf } from '../support/processes/examples.ts';
import { forget, pointsOf, report, sweep, undisturbed } from '../support/processes/sweep.ts';
import type { Subject, Undisturbed } from '../support/processes/sweep.ts';

describe('the evidence loop', () => {
  let server: ModelServer;
  let subject: Subject;
  let whole: Undisturbed;
  beforeAll(async () => {
    server = await openModelServer();
    countedAnswers(server, await answersOf('evidence-loop'));
    subject = evidenceLoop(server);
    whole = await undisturbed(subject);
  });
  afterAll(async () => {
    forget(whole);
    await server.close();
  });

  it('R9 comes to the same end wherever it is killed, and asks again only what had lost its answer', async () => {
    const asked = whole.log.flatMap((line) => (line.kind === 'call' ? [line.name] : []));
    expect(new Set(asked).size).toBe(4);

    const points = pointsOf(whole);
    const repeated = await sweep(subject, whole, points);
    report('evidence-loop', points, repeated);
    const again = repeated.filter(({ looked }) => !looked).map((one) => one.again);
    expect(again).toEqual(expectedAgain(asked));
  });
});

/** A request and a read each lose their record at one point: after they were performed, ahead of the append. */
function expectedAgain([first = '', second = '', third = '', fourth = '']: readonly string[]): readonly string[][] {
  return [
    [`call ${first}`],
    ['read index.md'],
    [`call ${second}`],
    ['read timeline.md'],
    ['read deploys/november.md'],
    [`call ${third}`],
    [`call ${fourth}`],
  ];
}
