import { appendFileSync } from 'node:fs';
import { InvokeError } from '@telorun/sdk';

/** An effect whose calls are counted over all processes, in a file. EFFECTS_KILL=<name> and EFFECTS_KILL_ATTEMPT=<n> kill the process after the line. */
export const Append = {
  create: (resource, ctx) => ({
    invoke: async (_inputs, invokeCtx) => {
      const { name } = resource.metadata;
      const attempt = invokeCtx?.attempt ?? 0;
      appendFileSync(ctx.env.EFFECTS_LOG, `${name} ${attempt}\n`);
      if (ctx.env.EFFECTS_KILL_ATTEMPT === String(attempt)) process.kill(process.pid, 'SIGKILL');
      if (ctx.env.EFFECTS_KILL === name) process.kill(process.pid, 'SIGKILL');
      if (resource.fails && ctx.env.EFFECTS_REPAIRED !== '1') throw new InvokeError('ERR_TEST_EFFECT', `${name} fails`);
      return { name, attempt };
    },
  }),
};
