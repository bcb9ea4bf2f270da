// A preload (NODE_OPTIONS=--import) for what lies below the journal. FAULTS_COMMIT_KILL_AT kills this process at a commit,
// counted from 1, on the FAULTS_COMMIT_SIDE of it; FAULTS_FULL=1 lets the file of a journal grow no further.
import { createRequire } from 'node:module';

const { FAULTS_COMMIT_KILL_AT, FAULTS_COMMIT_SIDE, FAULTS_FULL } = process.env;
let commits = 0;

function killAt(side) {
  if (commits === Number(FAULTS_COMMIT_KILL_AT) && side === (FAULTS_COMMIT_SIDE ?? 'before')) {
    process.kill(process.pid, 'SIGKILL');
  }
}

function databaseClass() {
  const native = process.getBuiltinModule?.('node:sqlite')?.DatabaseSync;
  return native ?? createRequire(import.meta.url)('better-sqlite3');
}

function patch(prototype) {
  const { prepare, exec } = prototype;
  prototype.prepare = function prepareWatched(sql) {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    const run = statement.run.bind(statement);
    statement.run = (...args) => {
      commits += 1;
      killAt('before');
      const answer = run(...args);
      killAt('after');
      return answer;
    };
    return statement;
  };
  prototype.exec = function execLimited(sql) {
    const answer = exec.call(this, sql);
    // A limit below the present size stands for the present size.
    if (FAULTS_FULL && sql.includes('synchronous')) exec.call(this, 'PRAGMA max_page_count = 1');
    return answer;
  };
}

if (FAULTS_COMMIT_KILL_AT || FAULTS_FULL) patch(databaseClass().prototype);
