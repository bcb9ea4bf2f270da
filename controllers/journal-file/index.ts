/** The door of this module: what the built-in kind names, and what the command line opens directly. */
export * as Journal from './journal.ts';
export { openJournal } from './open-journal.ts';
export { exportedRun } from './transfer/exported-run.ts';
export { importedRun } from './transfer/imported-run.ts';
