// Swaps a folder with a link to another one, as fast as it can, until it is ended.
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';

const [folder, aside, elsewhere] = process.argv.slice(2);

/** A call may fail because the other process has just put something there; the next round goes on. */
function attempt(call) {
  try {
    call();
    return true;
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    return false;
  }
}

process.stdout.write('swapping\n');
for (;;) {
  attempt(() => renameSync(folder, aside));
  attempt(() => symlinkSync(elsewhere, folder));
  if (!attempt(() => unlinkSync(folder))) attempt(() => rmSync(folder, { recursive: true, force: true }));
  attempt(() => renameSync(aside, folder));
}
