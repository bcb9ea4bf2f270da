// The kind Faults.Journal: another journal of the same manifest, with a fault at one of its writes.
import { faultsOf, killingJournal } from './killing-journal.mjs';

const CONTRACT = [
  'admitRun',
  'readRun',
  'readEntries',
  'append',
  'completeRun',
  'parkRun',
  'unparkRun',
  'runParkedOn',
  'dueRuns',
  'claimRun',
  'writesInside',
  'onWake',
  'checkClaim',
  'renewClaim',
  'releaseRun',
  'recordWait',
  'closeWait',
  'suspendRun',
  'answer',
  'readWaits',
  'listRuns',
  'cancelRun',
  'close',
];

function isJournal(instance) {
  return typeof instance.append === 'function' && typeof instance.claimRun === 'function';
}

export const Journal = {
  create(resource, ctx) {
    const { killAt, stopAt, side, log } = resource;
    const stated = { killAt, stopAt, side, log };
    const faults = {
      ...faultsOf(ctx.env),
      ...Object.fromEntries(Object.entries(stated).filter(([, v]) => v !== undefined)),
    };
    let journal;
    // A reference is live from `init` on, so the wrapped journal is looked up when it is first asked for something.
    const wrapped = () => {
      journal ??= killingJournal(ctx.resolveRef(resource.journal, isJournal, 'journal'), faults);
      return journal;
    };
    const instance = {
      get files() {
        return wrapped().files;
      },
      snapshot: () => ({}),
    };
    for (const name of CONTRACT) instance[name] = (...args) => wrapped()[name](...args);
    return instance;
  },
};
