import { randomUUID } from 'node:crypto';
import { encodeJsonValue } from '@telorun/sdk';
import type { FencedJournal, JournalEntry } from '@telorun/sdk/journal';
import { World } from '../acceptance/xmd/real-kernel.ts';
import type { GoldenCase } from './cases.ts';

export const RUN = 'golden';

/** Executes a case to its end, each pass in a process of its own, and answers what its run has on record. */
export async function recordOf(golden: GoldenCase): Promise<readonly JournalEntry[]> {
  const { killedAfter } = golden;
  const world = worldOf(golden);
  if (killedAfter !== undefined) {
    const whole = await driven(worldOf(golden), { ...golden, answers: [] }, 'start');
    await plant(world, whole.slice(0, killedAfter), golden.inputs);
  }
  return driven(world, golden, killedAfter === undefined ? 'start' : 'resume');
}

export function worldOf({ documents, imports, files }: GoldenCase): World {
  return new World(documents, {
    ...(imports === undefined ? {} : { imports }),
    ...(files === undefined ? {} : { files }),
  });
}

/** Starts or resumes the run and goes on until it ends, giving each question its answer. */
export async function driven(
  world: World,
  golden: GoldenCase,
  begin: 'start' | 'resume',
): Promise<readonly JournalEntry[]> {
  const answers = [...(golden.answers ?? [])];
  for (let pass = 0; ; pass += 1) {
    const process = await world.process();
    try {
      const { workflow } = process;
      if (pass === 0 && begin === 'start') await process.run(RUN, golden.inputs);
      else await workflow.execute(RUN);
      const { status } = (await workflow.journal.readRun(RUN)) ?? { status: 'unknown' };
      if (status !== 'parked' && status !== 'running') return await workflow.journal.readEntries(RUN);
      if (pass > 50) throw new Error(`the run of "${golden.name}" does not end`);
      await goOn(workflow.journal, answers);
    } finally {
      await process.kernel.close();
    }
  }
}

/** Answers the open question, or lets the instant pass that is waited for. */
async function goOn(journal: FencedJournal, answers: unknown[]): Promise<void> {
  const open = (await journal.readWaits(RUN)).find(
    ({ state, token, at }) => state === 'open' && (token !== undefined || at === undefined),
  );
  if (open === undefined) {
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
    return;
  }
  if (answers.length === 0) throw new Error('a question without an answer');
  await journal.answer({ run: RUN, path: open.path }, answers.shift());
}

/** Puts entries into the journal of a world, as a process that was killed has left them. */
export async function plant(world: World, entries: readonly JournalEntry[], inputs: unknown): Promise<void> {
  const process = await world.process();
  const { journal } = process.workflow;
  await journal.admitRun(RUN, { inputs: inputs ?? {}, program: process.workflow.program });
  await journal.claimRun(RUN, randomUUID(), 60_000);
  for (const entry of entries) await journal.append(RUN, entry);
  await journal.releaseRun(RUN);
  await process.kernel.close();
}

const INSTANT = /\/(?:wakeAt|deadline|retry\[\d+\])$/;

/** An entry as a golden file has it: what is drawn at random, the time and the port taken out. */
export function asGolden(entry: JournalEntry): unknown {
  const { path, value } = entry;
  if (path.endsWith('/token')) return { ...entry, value: 'TOKEN' };
  if (INSTANT.test(path) && typeof value === 'number') return { ...entry, value: 'INSTANT' };
  const text = JSON.stringify(encodeJsonValue(entry));
  const plain: unknown = JSON.parse(
    text
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
      .replaceAll(/"call":"[0-9a-f]{16}"/g, '"call":"CALL"')
      .replaceAll(/"wokeAt":\d+/g, '"wokeAt":"INSTANT"'),
  );
  return plain;
}
