// One process on a folder of journal files: does one command and prints what came of it as lines of JSON. With KILL_AT it
// is killed at that call of the file system, a write half done; with STOP_AT it is stopped there.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const CALLS = [
  'symlinkSync',
  'unlinkSync',
  'mkdirSync',
  'openSync',
  'writeSync',
  'fdatasyncSync',
  'ftruncateSync',
  'fsyncSync',
  'renameSync',
];
const { KILL_AT, STOP_AT } = process.env;
let calls = 0;
let counting = false;

for (const name of CALLS) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (!counting) return real(...args);
    calls += 1;
    if (calls === Number(KILL_AT)) {
      if (name === 'writeSync') real(args[0], args[1], args[2], Math.ceil(args[3] / 2), args[4]);
      process.kill(process.pid, 'SIGKILL');
    }
    if (calls === Number(STOP_AT)) process.kill(process.pid, 'SIGSTOP');
    return real(...args);
  };
}
syncBuiltinESMExports();

const { importedRun, openJournal } = await import('../../../dist/controllers/journal-file.mjs');
const { life } = await import('./life.mjs');
const [directory, command, ...rest] = process.argv.slice(2);
const say = (value) => fs.writeFileSync(1, `${JSON.stringify(value)}\n`);
const journal = openJournal({ directory, lockTimeoutMs: Number(process.env.LOCK_MS ?? 5_000) });

const COMMANDS = {
  async life() {
    counting = true;
    const end = await life(journal);
    counting = false;
    say({ end, calls });
  },

  /** Takes in the run of a file; is killed with the call counted from there. */
  async adopt(file) {
    const whole = importedRun(fs.readFileSync(file), { file, now: 0 });
    counting = true;
    const adopted = await journal.adoptRun(whole);
    counting = false;
    say({ adopted, calls });
  },

  async answer(payload) {
    say(await journal.answer({ token: 'token-w' }, payload));
  },

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
    const claimed = await journal.claimRun('r', `holder-${process.pid}`, Number(ttlMs));
    say({ claimed });
    if (!claimed) return;
    counting = true;
    for (let step = 0; step < Number(steps); step += 1) {
      try {
        journal.checkClaim('r');
        await journal.append('r', { path: `s[${step}]`, kind: 'step', value: process.pid });
      } catch (error) {
        say({ refused: error.code, step });
        return;
      }
    }
    counting = false;
    await journal.completeRun('r', { status: 'completed' });
    say({ done: true });
  },

  /** Claims the run and then stays until it is killed. */
  async hold() {
    await journal.admitRun('r');
    say({ claimed: await journal.claimRun('r', 'held', 3_600_000) });
    setInterval(() => undefined, 1_000);
  },
};

await COMMANDS[command](...rest);
if (command !== 'hold') journal.close();
