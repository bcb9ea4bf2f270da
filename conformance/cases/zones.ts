import { assertMaySuspend } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import { equal, holds, matches, refuses, times } from '../expect.ts';
import { hostIn, runProgram } from '../host/program.ts';
import { resource } from '../host/resource-context.ts';
import type { Acting, Stage } from '../stage.ts';

const ZONES = {
  idempotent: { idempotent: 'doing it again changes nothing' },
  atomic: { atomic: 'all of it happens, or none' },
  held: { noSuspend: 'a transaction stays open' },
} as const;

const PROGRAM = [
  { name: 'choose', value: 'chosen' },
  { name: 'call', invoke: { kind: 'Test.Call', name: 'call' } },
];

/** Runs two steps inside a zone of ours. */
async function inside(slot: keyof typeof ZONES, acting: Acting, calls: string[]): Promise<unknown> {
  const call = resource('Test.Call', 'call', () => calls.push(slot));
  const host = hostIn(acting, { zones: ZONES, resources: { call } });
  return host.withZone(slot, (context) => runProgram(PROGRAM, { ...acting, context }, { host }), acting.context);
}

/** Two executions of a region that is journaled as a whole: both perform it, and nothing of it is on record. */
async function collapsed(stage: Stage, slot: 'idempotent' | 'atomic'): Promise<void> {
  const calls: string[] = [];
  await times(2, async () => {
    await stage.killed(async (acting) => {
      await inside(slot, acting, calls);
      await acting.pause();
    });
  });
  equal(calls, [slot, slot], `calls in a region that is ${slot}, in two executions`);
  equal(await stage.keys(), [], `records of a region that is ${slot}`);
}

/** S5: zones. */
export const zones: readonly CaseDefinition[] = [
  {
    id: 'S5-idempotent',
    title: 'journals a region that is idempotent as a whole',
    needs: ['entries'],
    run: (stage) => collapsed(stage, 'idempotent'),
  },
  {
    id: 'S5-atomic',
    title: 'attests writesInside for no zone but its own: an atomic region of another is journaled as a whole',
    needs: ['entries'],
    run: (stage) => collapsed(stage, 'atomic'),
  },
  {
    id: 'S5-noted',
    title: 'hears how each region resolved, either way, and takes no harm',
    needs: [],
    run: async (stage) => {
      const ended = await stage.execute(async ({ handle }) => {
        const told = { zone: 'Test.Zone', reason: 'a reason' } as const;
        handle.noteZoneMode?.({ ...told, attribute: 'idempotent', mode: 'collapsed' });
        handle.noteZoneMode?.({ ...told, attribute: 'atomic', mode: 'perStep', attestation: 'writesInside' });
        return handle.step('steps/after', undefined, {}, async () => 'after');
      });
      matches(ended, { status: 'completed', result: 'after' }, 'the run');
    },
  },
  {
    id: 'S5-may-wait',
    title: 'starts a body where it may wait, and a zone that forbids it is obeyed in its own words',
    needs: ['zones'],
    run: async (stage) => {
      const ended = await stage.execute(async (acting) => {
        const host = hostIn(acting, { zones: ZONES });
        assertMaySuspend(host, acting.context, { resource: 'approval' });
        const error = await refuses(
          () =>
            host.withZone(
              'held',
              async (context) => assertMaySuspend(host, context, { resource: 'approval' }),
              acting.context,
            ),
          'ERR_DURABLE_SUSPEND_FORBIDDEN',
          'a park inside a zone with noSuspend',
        );
        holds(String(error).includes(ZONES.held.noSuspend), 'the refusal says the reason of the zone');
        return 'done';
      });
      matches(ended, { status: 'completed', result: 'done' }, 'a body that asks whether it may wait');
    },
  },
];
