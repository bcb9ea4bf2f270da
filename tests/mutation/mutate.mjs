// Mutation testing: changes one operator, constant, pattern, branch or statement at a time, and runs the tests that should
// notice. Writes nothing into the tree; mutants and tests meet in memory, in one warm process for each core.
// Usage: node tests/mutation/mutate.mjs [--seconds 1200] [--sample 1000] [--seed 1] [--workers 2] [--slowest ms]
//   [--tests path,path] [--resume results.jsonl [--again]] file.ts ...
// With --resume, results are kept in a file, and the next run goes on where this one ended; --again tries survivors anew.
import { fork } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf } from './mutants.mjs';
import { openResults } from './results.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '1200' },
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    slowest: { type: 'string', default: '1500' },
    workers: { type: 'string', default: '2' },
    resume: { type: 'string' },
    again: { type: 'boolean', default: false },
    tests: {
      type: 'string',
      default: [
        ...['admission', 'fragment', 'preflight', 'values', 'vocabulary'].map((name) => `tests/unit/xmd/${name}`),
        ...['limits', 'http/request', 'http/matrix'].map((name) => `tests/unit/xmd/${name}.test.ts`),
        'tests/corpus/corpus.test.ts',
        'tests/reports/authority.test.ts',
        'tests/reports/parser.test.ts',
        'tests/property/fragment.test.ts',
      ].join(','),
    },
  },
});
const MUTATED = [
  'preflight',
  'fragment',
  ...['compare', 'legacy-record', 'policy-shape', 'read-record', 'record', 'shape'].map(
    (name) => `admission/${name}.ts`,
  ),
  ...['http-request', 'path-limits', 'path-pattern', 'relative-path'].map((name) => `values/${name}.ts`),
].map((path) => `controllers/xmd/${path}`);
/** A process keeps the bundles it has imported; after this many it is replaced. */
const MUTANTS_PER_PROCESS = 150;
/** A process that is silent for this much longer than the slowest test takes without a mutant is in a loop. */
const [SLOWER, GRACE_MS] = [3, 5000];

const tests = values.tests.split(',').flatMap((path) => filesOf(path, '.test.ts'));
const sources = (positionals.length > 0 ? positionals : MUTATED).flatMap((path) => filesOf(path, '.ts'));
const all = sources.flatMap(mutantsOf);
const kept = openResults(values.resume, { root, again: values.again });
const results = [];
const mutants = shuffled(all, Number(values.seed)).slice(0, Number(values.sample)).filter(isNew);
const { skip, order, slowestMs } = await baseline();
const began = performance.now();
await Promise.all(Array.from({ length: Number(values.workers) }, work));
report();

function filesOf(path, ending) {
  const absolute = join(root, path);
  if (!statSync(absolute).isDirectory()) return [absolute];
  const names = readdirSync(absolute, { recursive: true }).filter((name) => name.endsWith(ending));
  return names.toSorted((one, other) => (one < other ? -1 : 1)).map((name) => join(absolute, name));
}

/** Whether a mutant is still to be run; what an earlier run learned of it is among the results. */
function isNew(mutant) {
  const result = kept.earlier(mutant);
  if (result !== undefined) results.push({ ...mutant, ...result });
  return result === undefined;
}

function fails({ problem, ms }) {
  return problem !== undefined || ms > Number(values.slowest);
}

/** Which tests pass without a mutant, and in which order they are quickest. */
async function baseline() {
  const worker = startWorker();
  const { outcome, tests: measured, by } = await asked(worker, {}, 300_000);
  if (outcome !== 'baseline') throw new Error(`The tests cannot be loaded: ${by}`);
  worker.kill('SIGKILL');
  const left = measured.filter(fails);
  for (const { title, ms, problem = 'slow' } of left) {
    process.stdout.write(`left out: ${title} (${Math.round(ms)} ms): ${problem.split('\n')[0]}\n`);
  }
  const used = measured.filter((test) => !fails(test)).toSorted((one, other) => one.ms - other.ms);
  const sum = used.reduce((total, { ms }) => total + ms, 0);
  process.stdout.write(
    `${all.length} mutants in ${sources.length} files, ${mutants.length} to be run; ${used.length} tests of ${tests.length} files, ${Math.round(sum)} ms; ${left.length} tests left out\n`,
  );
  return {
    skip: left.map(({ title }) => title),
    order: used.map(({ title }) => title),
    slowestMs: used.at(-1)?.ms ?? 0,
  };
}

async function work() {
  let [worker, used] = [undefined, 0];
  for (let mutant = mutants.shift(); mutant !== undefined; mutant = mutants.shift()) {
    if (performance.now() - began > Number(values.seconds) * 1000) break;
    if (used === MUTANTS_PER_PROCESS) worker?.kill('SIGKILL');
    if (worker === undefined || used === MUTANTS_PER_PROCESS) [worker, used] = [startWorker(), 0];
    used += 1;
    const result = await asked(worker, { mutant, skip, order }, slowestMs * SLOWER + GRACE_MS);
    results.push({ ...mutant, ...result });
    kept.keep(mutant, result);
    if (result.outcome === 'survived') tell({ ...mutant, ...result });
    if (result.outcome === 'endless') worker = undefined;
  }
  worker?.kill('SIGKILL');
}

function startWorker() {
  return fork(join(import.meta.dirname, 'worker.mjs'), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--max-old-space-size=1500'],
    cwd: root,
  });
}

/** The answer of a worker; one that ends or goes on for too long has noticed its mutant. */
function asked(worker, message, limitMs) {
  return new Promise((settle) => {
    const ended = () => done({ outcome: 'endless' });
    let timer = setTimeout(ended, limitMs);
    const heard = (result) => {
      clearTimeout(timer);
      if (result.outcome === undefined) timer = setTimeout(ended, limitMs);
      else done(result);
    };
    const done = (result) => {
      clearTimeout(timer);
      worker.off('exit', ended);
      worker.off('message', heard);
      if (result.outcome === 'endless') worker.kill('SIGKILL');
      settle(result);
    };
    worker.on('exit', ended);
    worker.on('message', heard);
    worker.send({ files: tests, ...message });
  });
}

function tell({ file, line, was, text }) {
  process.stdout.write(
    `survived ${relative(root, file)}:${line}  ${was}  ->  ${text.replaceAll(/\s+/g, ' ').slice(0, 110)}\n`,
  );
}

function report() {
  const folders = new Set(results.map(({ file }) => relative(root, dirname(file))));
  for (const folder of [...folders, '']) {
    const list = results.filter(({ file }) => relative(root, file).startsWith(folder));
    const count = Object.fromEntries(
      ['killed', 'endless', 'survived', 'invalid'].map((name) => [
        name,
        list.filter((one) => one.outcome === name).length,
      ]),
    );
    const valid = list.length - count.invalid;
    const noticed = count.killed + count.endless;
    process.stdout.write(
      `${folder === '' ? 'all' : folder}: ${valid} mutants, ${noticed} noticed (${count.endless} by time or end), ${count.survived} survived: ${((100 * noticed) / valid).toFixed(1)} %; ${count.invalid} do not compile\n`,
    );
  }
  process.stdout.write(`${Math.round((performance.now() - began) / 1000)} s; ${mutants.length} mutants not reached\n`);
}

function shuffled(list, seed) {
  let state = seed;
  return list
    .map((item) => [(state = (state * 1_103_515_245 + 12_345) % 0x7fff_ffff), item])
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
}
