// One process of a durable run: `child.mjs start|schedule|execute|answer|resumer <workflow> <run> [<payload>]`, answers JSON on stdout.
import { fileURLToPath } from 'node:url';
import { openKernel } from '../../../../dist/kernel/index.mjs';

const [verb, workflow, run, payload] = process.argv.slice(2);
const kernel = await openKernel({ manifest: fileURLToPath(new URL('telo.yaml', import.meta.url)) });
process.once('SIGTERM', () => kernel.cancel('interrupted'));
const flow = kernel.instance(workflow);
const verbs = {
  start: async () => (await flow.start({ runId: run, inputs: { id: run } })).done,
  schedule: () => kernel.invoke('later', { run }),
  execute: () => flow.execute(run),
  answer: () => flow.journal.answer({ run }, JSON.parse(payload)),
  entries: async () => (await flow.journal.readEntries(run)).map(({ path }) => path),
  resumer: async () => {
    const stop = new AbortController();
    await kernel.instance('resumer').run();
    const readEnd = async () => {
      const record = await flow.journal.readRun(run);
      if (record?.status === 'completed' || record?.status === 'failed') stop.abort();
    };
    const look = setInterval(() => void readEnd(), 20);
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    clearInterval(look);
    kernel.cancel('done');
    return flow.journal.readRun(run);
  },
};
try {
  process.stdout.write(JSON.stringify(await verbs[verb]()) + '\n');
} catch (error) {
  process.stdout.write(JSON.stringify({ code: error.code, message: error.message }) + '\n');
}
await kernel.close();
