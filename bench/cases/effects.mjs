import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openKernel } from '../../dist/kernel/index.mjs';

const now = () => Number(process.hrtime.bigint()) / 1e6;

async function open(folder, onEvent) {
  const kernel = await openKernel({ manifest: join(folder, 'telo.yaml'), onEvent });
  const [{ instance }] = kernel.instancesOfKind('DurableLocal.Workflow');
  return { kernel, workflow: instance };
}

const isEffect = ({ type, entry }) =>
  type === 'entry.recorded' &&
  entry.kind === 'step' &&
  (/\/xmd\[\d+\]\/\w+$/.test(entry.path) || /^steps\/s\d+$/.test(entry.path));

/** First execution: effects per second, from the first to the last record. */
export async function effects({ n, folder }) {
  const at = new Float64Array(n);
  let count = 0;
  let last = 0;
  let payload = 0;
  const { kernel, workflow } = await open(folder, (event) => {
    if (!isEffect(event)) return;
    last = now();
    at[count] = last;
    count += 1;
    payload += typeof event.entry.value === 'string' ? event.entry.value.length + 2 : 16;
  });
  const began = now();
  const { done } = await workflow.start({ inputs: {} });
  const end = await done;
  const whole = now() - began;
  await kernel.close();
  if (count !== n)
    throw new Error(
      `${count} effects of ${n} were recorded; the run ended ${JSON.stringify({ ...end, result: undefined })}`,
    );
  const tenth = Math.max(1, Math.floor(n / 10));
  const firstTenth = at[tenth] - at[0];
  const lastTenth = at[n - 1] - at[n - 1 - tenth];
  return {
    ms: whole,
    perSecond: (n - 1) / ((last - at[0]) / 1000),
    flatness: lastTenth / firstTenth,
    bytesPerEffect: (sizeOf(folder) - payload) / n,
  };
}

function sizeOf(folder) {
  const read = (file) => {
    try {
      return statSync(join(folder, file)).size;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      return 0;
    }
  };
  return read('runs.db') + read('runs.db-wal') - Buffer.byteLength(readFileSync(join(folder, 'plan.xmd'), 'utf8'));
}

/** A second process goes through the recorded effects up to the wait, performing none. */
export async function replay({ n, folder }) {
  let replayed = 0;
  let performed = 0;
  const { kernel, workflow } = await open(folder, (event) => {
    if (event.type === 'entry.replayed' && /\/xmd\[\d+\]\/\w+$/.test(event.entry.path)) replayed += 1;
    if (isEffect(event)) performed += 1;
  });
  // A parked run with nothing new is not executed; unparked, it goes through its records up to the same wait.
  await workflow.journal.unparkRun('bench');
  const began = now();
  await workflow.execute('bench', {});
  const ms = now() - began;
  await kernel.close();
  if (replayed !== n || performed !== 0)
    throw new Error(`${replayed} of ${n} effects were replayed, ${performed} performed`);
  return { ms };
}
