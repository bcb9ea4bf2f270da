// A preload (NODE_OPTIONS=--import): logs what this process changes and reads below FAULTS_FS_ROOT, one line a call, and
// kills it before or after the FAULTS_FS_KILL_AT-th change, or stops it ahead of the FAULTS_FS_STOP_AT-th. Lines go to FAULTS_FS_LOG: `fs`, call, place below the root.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isAbsolute, relative, resolve } from 'node:path';

const { FAULTS_FS_ROOT, FAULTS_FS_LOG, FAULTS_FS_KILL_AT, FAULTS_FS_SIDE, FAULTS_FS_STOP_AT } = process.env;
const { O_CREAT, O_WRONLY, O_RDWR, O_TRUNC, O_DIRECTORY } = fs.constants;
const O_PATH = 0o10000000;
const { openSync, writeSync, readlinkSync } = fs;

/** What a call names, as a path below the root; undefined for everything else. */
function placeOf(target) {
  const held = /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(String(target));
  const named = held ? `${linkOf(held[1])}${held[2]}` : String(target);
  const path = typeof target === 'number' ? linkOf(target) : named;
  const short = relative(FAULTS_FS_ROOT, resolve(path));
  if (short.startsWith('..') || isAbsolute(short)) return undefined;
  return short.replace(/\.xmd-[^/]*\.tmp$/, 'TEMPORARY') || '.';
}

function linkOf(fd) {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '/';
  }
}

let changes = 0;
let log;

function note(call, place) {
  log ??= openSync(FAULTS_FS_LOG, 'a');
  writeSync(log, `fs\t${call}\t${place}\n`);
}

function killAt(side) {
  if (changes === Number(FAULTS_FS_KILL_AT) && side === (FAULTS_FS_SIDE ?? 'before'))
    process.kill(process.pid, 'SIGKILL');
}

function changing(call, place, perform) {
  changes += 1;
  killAt('before');
  if (changes === Number(FAULTS_FS_STOP_AT)) process.kill(process.pid, 'SIGSTOP');
  const answer = perform();
  note(call, place);
  killAt('after');
  return answer;
}

/** Each change, and which argument says what is changed. */
const CHANGES = {
  writeSync: ['write', 0],
  fsyncSync: ['flush', 0],
  renameSync: ['rename', 1],
  unlinkSync: ['unlink', 0],
  mkdirSync: ['mkdir', 0],
  rmdirSync: ['rmdir', 0],
  fchmodSync: ['chmod', 0],
  fchownSync: ['chown', 0],
  ftruncateSync: ['truncate', 0],
  truncateSync: ['truncate', 0],
  linkSync: ['link', 1],
  symlinkSync: ['link', 1],
  copyFileSync: ['copy', 1],
};

function patch() {
  for (const [name, [call, argument]] of Object.entries(CHANGES)) {
    const original = fs[name];
    fs[name] = (...args) => {
      const place = placeOf(args[argument]);
      return place === undefined ? original(...args) : changing(call, place, () => original(...args));
    };
  }
  fs.openSync = (...args) => {
    const [path, flags] = args;
    const place = typeof flags === 'number' && (flags & O_PATH) === 0 ? placeOf(path) : undefined;
    if (place === undefined) return openSync(...args);
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)) !== 0)
      return changing('create', place, () => openSync(...args));
    const fd = openSync(...args);
    if ((flags & O_DIRECTORY) === 0) note('read', place);
    return fd;
  };
  syncBuiltinESMExports();
}

if (FAULTS_FS_ROOT) patch();
