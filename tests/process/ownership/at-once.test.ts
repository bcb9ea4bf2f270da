import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RUN } from '../../support/processes/plan.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';
import { callsOf, LOADED_MS, makeContested } from './contested-run.ts';
import type { Contested } from './contested-run.ts';

const ROUNDS = 32;

describe('one run, two processes', () => {
  let contested: Contested;
  beforeAll(async () => {
    contested = await makeContested('ends');
  }, LOADED_MS);
  afterAll(() => contested.parked.remove());

  it(
    `S4 ${String(ROUNDS)} times resumed or started by both at once, every effect is performed once`,
    async () => {
      const { parked, program, finished } = contested;
      let busy = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const sandbox = new Sandbox(parked);
        const args = round % 4 === 3 ? program.start : ['resume', RUN];
        const ended = await Promise.all([sandbox.command(args), sandbox.command(['resume', RUN])]);
        const codes = ended.map(({ code }) => code ?? -1).toSorted((one, two) => one - two);
        expect([
          [0, 0],
          [0, 75],
        ]).toContainEqual(codes);
        if (codes[1] === 75) busy += 1;
        expect(await sandbox.recorded(RUN)).toEqual(finished);
        expect(callsOf(sandbox.log())).toEqual(['look', 'record', 'later']);
        sandbox.remove();
      }
      console.log(`in ${String(busy)} of ${String(ROUNDS)} rounds one process found the run held by the other`);
    },
    LOADED_MS,
  );
});
