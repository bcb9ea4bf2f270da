// Stops or kills this process at a chosen write of a journal. Plain JavaScript: child processes load it without a build.
import { appendFileSync } from 'node:fs';

/** Calls of a journal that change what it holds, in the words of its contract. Renewals of a claim are no crash points. */
export const WRITES = new Set([
  'admitRun',
  'claimRun',
  'append',
  'recordWait',
  'closeWait',
  'parkRun',
  'suspendRun',
  'completeRun',
  'releaseRun',
  'answer',
  'unparkRun',
  'cancelRun',
]);

const SIGNALS = { kill: 'SIGKILL', stop: 'SIGSTOP' };

/**
 * @typedef {object} Faults
 * @property {number} [killAt] The write at which this process is killed, counted from 1.
 * @property {number} [stopAt] The write at which it is stopped (SIGSTOP); it goes on when somebody continues it.
 * @property {'before' | 'after'} [side] On which side of the write; `before` when not stated.
 * @property {string} [log] File that gets one line for each finished write: number, call, run, path.
 * @property {{ writes: number }} [counter] Counts the writes; shared by wrappers that count together.
 */

/**
 * Reads faults from environment variables: FAULTS_KILL_AT, FAULTS_STOP_AT, FAULTS_SIDE, FAULTS_LOG.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Faults}
 */
export function faultsOf(env) {
  const faults = {};
  if (env.FAULTS_KILL_AT) faults.killAt = Number(env.FAULTS_KILL_AT);
  if (env.FAULTS_STOP_AT) faults.stopAt = Number(env.FAULTS_STOP_AT);
  if (env.FAULTS_SIDE) faults.side = env.FAULTS_SIDE === 'after' ? 'after' : 'before';
  if (env.FAULTS_LOG) faults.log = env.FAULTS_LOG;
  return faults;
}

/**
 * The same journal, with a fault at one of its writes. Effect: signals this process.
 *
 * @template {object} J
 * @param {J} journal
 * @param {Faults} faults
 * @returns {J}
 */
export function killingJournal(journal, faults) {
  const counter = faults.counter ?? { writes: 0 };
  return new Proxy(journal, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (typeof name !== 'string' || !WRITES.has(name)) return member.bind(target);
      return (...args) => write({ call: name, perform: () => member.apply(target, args), args }, faults, counter);
    },
  });
}

async function write({ call, perform, args }, faults, counter) {
  counter.writes += 1;
  const number = counter.writes;
  const side = faults.side ?? 'before';
  if (side === 'before') await signalAt(number, faults);
  const answer = await perform();
  if (faults.log) appendFileSync(faults.log, `${[number, call, describe(args[0]), describe(args[1])].join('\t')}\n`);
  if (side === 'after') await signalAt(number, faults);
  return answer;
}

async function signalAt(number, faults) {
  if (number === Number(faults.killAt)) await signal(SIGNALS.kill);
  if (number === Number(faults.stopAt)) await signal(SIGNALS.stop);
}

/** A signal to oneself is taken on the way out of the call; the turn of the loop gives a stop its time on every system. */
async function signal(name) {
  process.kill(process.pid, name);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function describe(value) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return value.path ?? value.run ?? value.status ?? '';
}
