import { appendFileSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeError } from '@telorun/sdk';

/**
 * An operation of a host, idempotent by its key. COUNTED_LOG: one line `call` for each call and one line `change` for
 * each change; COUNTED_KEYS: a folder with one file for each key that was used. COUNTED_KILL=<name> or <name>#<attempt>
 * kills the process after its `call` line; COUNTED_REPAIRED=1 stops the failing of those that fail.
 */
export const Operation = {
  create: (resource, ctx) => ({
    invoke: async (inputs, invokeCtx) => {
      const { name } = resource.metadata;
      const { COUNTED_LOG, COUNTED_KEYS, COUNTED_KILL, COUNTED_REPAIRED } = ctx.env;
      const path = invokeCtx?.durablePath ?? '';
      const attempt = invokeCtx?.attempt ?? 0;
      appendFileSync(COUNTED_LOG, `call\t${name}\t${path}\t${attempt}\n`);
      if (COUNTED_KILL === name || COUNTED_KILL === `${name}#${attempt}`) process.kill(process.pid, 'SIGKILL');
      if (resource.fails && COUNTED_REPAIRED !== '1') throw new InvokeError('ERR_TEST_COUNTED', `${name} fails`);
      const run = invokeCtx?.durable?.runId ?? '';
      if (firstUse(COUNTED_KEYS, `${run} ${path}`)) appendFileSync(COUNTED_LOG, `change\t${name}\t${path}\n`);
      return { name, attempt, inputs: inputs ?? null };
    },
  }),
};

function firstUse(folder, key) {
  mkdirSync(folder, { recursive: true });
  try {
    closeSync(openSync(join(folder, encodeURIComponent(key)), 'wx'));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}
