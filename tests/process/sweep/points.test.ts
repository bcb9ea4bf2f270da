import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startModelServer } from '../../support/model-server/model-server.ts';
import { answersOf } from '../../support/processes/examples.ts';
import { countedAnswers, evidenceLoop, planAndApprove } from '../../support/processes/loops.ts';
import { releaseNotes } from '../../support/processes/release-notes.ts';
import { Sandbox } from '../../support/processes/sandbox.ts';
import { faultsAt, forget, pointsOf, undisturbed } from '../../support/processes/sweep.ts';
import type { Point, Undisturbed } from '../../support/processes/sweep.ts';
import { TWENTY_EFFECTS } from '../../support/processes/twenty-effects.ts';

const PARKING = [
  'append steps/approve/inputs',
  'append steps/approve/token',
  'recordWait steps/approve',
  'suspendRun ',
];
const NOTES = 'steps/apply/xmd[2]/Dir/xmd[0]/File';

describe('what the sweep kills at: the release-notes example', () => {
  let whole: Undisturbed;
  beforeAll(async () => {
    whole = await undisturbed(releaseNotes('publish'));
  });
  afterAll(() => forget(whole));

  it('R3 R4 every write of its journal, in order', () => {
    expect(whole.phases.map(({ args: [name] }) => name)).toEqual(['run', 'answer', 'resume']);
    expect(whole.phases.map(({ writes }) => writes.map(withoutHolder))).toEqual([
      [
        'admitRun running',
        'claimRun HOLDER',
        'append inputs',
        'append steps/plan',
        'append steps/apply/inputs',
        'append steps/apply/generated_xmd',
        'append steps/apply/xmd[0]/File',
        'append steps/apply/xmd[1]/File',
        'append steps/apply/xmd[2]/Dir',
        `append ${NOTES}/before`,
        `append ${NOTES}`,
        'append steps/apply/xmd[3]/File.Delete/before',
        'append steps/apply/xmd[3]/File.Delete',
        'append steps/apply/generated_xmd/outcome',
        'append steps/apply',
        ...PARKING,
      ],
      [],
      [
        'claimRun HOLDER',
        'append steps/decision/switch',
        ...[
          'generated_xmd',
          'xmd[0]/File/xmd[0]/File',
          'xmd[0]/File/before',
          'xmd[0]/File',
          'generated_xmd/outcome',
        ].map((key) => `append steps/decision/cases/publish/published/${key}`),
        'append steps/decision/cases/publish/published',
        'completeRun completed',
      ],
    ]);
  });

  it('R4 every change below the root, in order', () => {
    expect(whole.phases.map(({ changes }) => changes)).toEqual([
      [
        'mkdir notes',
        'flush .',
        'create notes/TEMPORARY',
        'write notes/TEMPORARY',
        'flush notes/TEMPORARY',
        'rename notes/2.4.0.md',
        'flush notes',
        'unlink drafts/2.4.0.md',
        'flush drafts',
      ],
      [],
      [
        'mkdir published',
        'flush .',
        'create published/TEMPORARY',
        'write published/TEMPORARY',
        'flush published/TEMPORARY',
        'rename published/2.4.0.md',
        'flush published',
      ],
    ]);
  });

  it('R4 the number of points is pinned', () => {
    expect(pointsOf(whole)).toHaveLength(90);
  });
});

describe('what the sweep kills at: twenty effects', () => {
  let whole: Undisturbed;
  beforeAll(async () => {
    whole = await undisturbed(TWENTY_EFFECTS);
  });
  afterAll(() => forget(whole));

  it('R4 twenty effects, one entry each, and a pinned number of writes, changes and points', () => {
    const steps = whole.end.recorded.entries.filter(({ kind, path }) => kind === 'step' && path.includes('/xmd['));
    expect(steps).toHaveLength(20);
    expect(whole.phases.map(({ writes, changes }) => [writes.length, changes.length])).toEqual([
      [28, 33],
      [0, 0],
      [15, 18],
    ]);
    expect(pointsOf(whole)).toHaveLength(190);
  });

  it('R4 what a run changes for good is each change once', () => {
    expect(new Set(whole.end.mutations).size).toBe(whole.end.mutations.length - 1);
    expect(whole.end.mutations.filter((one) => one === 'rename out/one.txt')).toHaveLength(2);
    expect(whole.end.changes).toEqual(['record steps/apply/xmd[2]/Record', 'record steps/apply/xmd[11]/Record']);
  });
});

describe('what the sweep kills at: the loops with a model', () => {
  it.each([
    { name: 'evidence-loop', loop: evidenceLoop, requests: 4, processes: 3, points: 122 },
    { name: 'plan-and-approve', loop: planAndApprove, requests: 2, processes: 5, points: 112 },
  ])('R9 $requests requests of $name, each another, and a pinned number of points', async (one) => {
    const server = await startModelServer();
    countedAnswers(server, await answersOf(one.name));
    const whole = await undisturbed(one.loop(server));
    onTestFinished(() => forget(whole));

    expect(whole.phases).toHaveLength(one.processes);
    expect(new Set(server.asked.map(({ text }) => text)).size).toBe(one.requests);
    expect(server.asked).toHaveLength(one.requests);
    expect(pointsOf(whole)).toHaveLength(one.points);
  });
});

it('R4 no point is left out: one past the last kills nothing, of each kind and in each process', async () => {
  for (const subject of [releaseNotes('publish'), TWENTY_EFFECTS]) {
    const whole = await undisturbed(subject);
    const beyond = pointsBeyond(whole);
    expect(beyond).toHaveLength(9);
    for (const point of beyond) await passes(whole, point);
    forget(whole);
  }
});

function pointsBeyond({ phases }: Undisturbed): readonly Point[] {
  return phases.flatMap(({ args, writes, changes }, phase) => {
    const last = { write: writes.length, change: changes.length, commit: args[0] === 'answer' ? 1 : 10_000 };
    return (['write', 'change', 'commit'] as const).map((kind): Point => ({
      phase,
      kind,
      at: last[kind] + 1,
      side: 'before',
      what: 'beyond',
    }));
  });
}

async function passes(whole: Undisturbed, point: Point): Promise<void> {
  const phase = whole.phases[point.phase];
  if (phase === undefined) throw new TypeError('a point is in one of the phases');
  const sandbox = new Sandbox(phase.before);
  const ended = await sandbox.command(phase.args, faultsAt(point));
  sandbox.remove();
  expect(ended.signal).toBeNull();
}

function withoutHolder(write: string): string {
  return write.replace(/^claimRun .*/, 'claimRun HOLDER');
}
