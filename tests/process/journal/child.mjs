// One process on a journal: performs the commands of its arguments and prints what came of it as lines of JSON.
// Plain JavaScript over the built bundle, so that a child starts in a few hundredths of a second.
import { openJournal } from '../../../manifests/durable-journal-sqlite/dist/journal-sqlite.mjs';
import { faultsOf, killingJournal } from '../../support/faults/killing-journal.mjs';

const [file, command, ...rest] = process.argv.slice(2);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const codeOf = (error) => error?.code ?? String(error);
// Permissions do not bind root: a test that needs them to hold runs its child as somebody else.
if (process.env.CHILD_USER && process.getuid?.() === 0) process.setuid(Number(process.env.CHILD_USER));
const journal = killingJournal(await openJournal({ file }), faultsOf(process.env));

const COMMANDS = {
  /** Claims each of `runs` runs if it can, appends `steps` entries to it, completes it. */
  async race(runs, steps) {
    let won = 0;
    for (let index = 0; index < Number(runs); index += 1) {
      const run = `run-${index}`;
      await journal.admitRun(run);
      if (!(await journal.claimRun(run, `holder-${process.pid}`, 60_000))) continue;
      won += 1;
      for (let step = 0; step < Number(steps); step += 1) {
        const stored = await journal.append(run, { path: `s[${step}]`, kind: 'step', value: process.pid });
        if (stored.value !== process.pid) say({ mixed: run });
      }
      await journal.completeRun(run, { status: 'completed', result: process.pid });
    }
    say({ won });
  },

  /** Claims one run for `ttlMs` and appends until it is refused. */
  async append(ttlMs, steps) {
    await journal.admitRun('r');
    if (!(await journal.claimRun('r', `holder-${process.pid}`, Number(ttlMs)))) return say({ claimed: false });
    say({ claimed: true });
    for (let step = 0; step < Number(steps); step += 1) {
      try {
        journal.checkClaim('r');
        await journal.append('r', { path: `s[${step}]`, kind: 'step', value: process.pid });
      } catch (error) {
        return say({ refused: codeOf(error), step });
      }
    }
    await journal.completeRun('r', { status: 'completed' });
    return say({ done: true });
  },

  /** Claims the run and then stays until it is killed. */
  async hold() {
    await journal.admitRun('r');
    say({ claimed: await journal.claimRun('r', 'held', 3_600_000) });
    setInterval(() => undefined, 1_000);
  },

  /** A whole small life of a run: every kind of write once or more. */
  async life() {
    await journal.admitRun('r', { inputs: 1 });
    if ((await journal.readRun('r')).status === 'completed') return say({ done: true });
    if (!(await journal.claimRun('r', 'life', 60_000))) return say({ claimed: false });
    const known = new Map((await journal.readEntries('r')).map((entry) => [entry.path, entry.value]));
    for (const path of ['a', 'b']) if (!known.has(path)) await journal.append('r', { path, kind: 'step', value: path });
    if (known.has('w')) {
      await journal.completeRun('r', { status: 'completed', result: known.get('w') });
      return say({ done: true });
    }
    await journal.recordWait('r', { path: 'w', resource: 'ask', token: 't' });
    return say({ suspended: (await journal.suspendRun('r')).status });
  },

  async answer(payload) {
    say(await journal.answer({ token: 't' }, payload));
  },
};

await COMMANDS[command](...rest);
if (command !== 'hold') journal.close();
