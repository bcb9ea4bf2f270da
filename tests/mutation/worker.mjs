// One process that runs mutants: it bundles the test files with the changed source in memory, imports the bundle and runs
// its tests until one fails. Warm: the compiler keeps what did not change, packages are loaded once.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { context } from 'esbuild';
import { runTest, takeTests } from './harness.mjs';

const root = resolve(import.meta.dirname, '..', '..');
const folder = join(root, 'node_modules/.cache/mutation');
const HARNESS = pathToFileURL(join(import.meta.dirname, 'harness.mjs')).href;
const PLACES = ['controllers/xmd/read-profile.ts', 'kernel/manifest/ajv.ts', 'kernel/runtime/controller-loader.ts'];
const COUNTED = join(root, 'controllers/xmd/providers/host-files.ts');
const COUNTING = join(root, 'tests/acceptance/xmd/counting-files.ts');

/** How often a process says between two tests that it is not in a loop. */
const ALIVE_MS = 100;

let change = { file: '', source: '' };
let built = 0;
let bundler;
let skipped = new Set();
mkdirSync(folder, { recursive: true });

const reply = async (message) => void process.send(await answer(message));
process.on('message', (message) => void reply(message));

async function answer({ files, mutant, skip, order }) {
  bundler ??= await bundlerOf(files);
  skipped = new Set(skip);
  change = mutant === undefined ? { file: '', source: '' } : { file: mutant.file, source: changed(mutant) };
  let tests;
  try {
    tests = await load();
  } catch (error) {
    return { outcome: error.errors === undefined ? 'killed' : 'invalid', by: String(error.message).slice(0, 200) };
  }
  return mutant === undefined ? { outcome: 'baseline', tests: await measured(tests) } : judged(tests, order);
}

function changed({ file, start, end, text }) {
  const source = readFileSync(file, 'utf8');
  return source.slice(0, start) + text + source.slice(end);
}

async function load() {
  const { outputFiles } = await bundler.rebuild();
  const file = join(folder, `${process.pid}-${(built += 1)}.mjs`);
  writeFileSync(file, outputFiles[0].contents);
  takeTests();
  try {
    await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
  return takeTests();
}

/** How long each test takes, and whether it passes, without a mutant. */
async function measured(tests) {
  const times = [];
  for (const test of tests) {
    const start = performance.now();
    const problem = await problemOf(test);
    times.push({ title: test.title, ms: performance.now() - start, problem });
  }
  return times;
}

async function judged(tests, order) {
  const place = new Map(order.map((title, index) => [title, index]));
  const known = tests.filter(({ title }) => !skipped.has(title));
  const sorted = known.toSorted((one, other) => (place.get(one.title) ?? 0) - (place.get(other.title) ?? 0));
  let told = performance.now();
  for (const test of sorted) {
    if (performance.now() - told > ALIVE_MS) {
      told = performance.now();
      process.send({ alive: true });
    }
    if ((await problemOf(test)) !== undefined) return { outcome: 'killed', by: test.title };
  }
  // Tests that are made of what the sources answer may come to be fewer.
  return known.length < order.length ? { outcome: 'killed', by: 'a test that is no more' } : { outcome: 'survived' };
}

async function problemOf(test) {
  try {
    await runTest(test);
    return undefined;
  } catch (error) {
    return String(error?.message ?? error).slice(0, 300);
  }
}

function bundlerOf(files) {
  return context({
    stdin: { contents: files.map((file) => `import ${JSON.stringify(file)};`).join('\n'), resolveDir: root },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    logLevel: 'silent',
    plugins: [{ name: 'mutant', setup: plugIn }],
  });
}

function plugIn(build) {
  build.onResolve({ filter: /^[^./]/ }, ({ path }) => {
    if (path === 'vitest') return { path: HARNESS, external: true };
    return path.startsWith('@telorun/') ? undefined : { path, external: true };
  });
  // Test files that count the calls of the file provider share one counted provider.
  build.onResolve({ filter: /\/host-files\.ts$/ }, ({ path, importer, resolveDir }) =>
    resolve(resolveDir, path) === COUNTED && importer !== 'counted'
      ? { path: COUNTED, namespace: 'counted' }
      : undefined,
  );
  build.onLoad({ filter: /./, namespace: 'counted' }, () => ({
    contents: `import * as real from ${JSON.stringify(`${COUNTED}?real`)};
      import { counting } from ${JSON.stringify(COUNTING)};
      export const openHostFiles = counting(real).openHostFiles;`,
    resolveDir: dirname(COUNTED),
  }));
  build.onResolve({ filter: /\?real$/ }, () => ({ path: COUNTED }));
  build.onLoad({ filter: /\.ts$/ }, ({ path }) => loaded(path));
}

function loaded(path) {
  const mutated = path === change.file;
  if (!mutated && !path.includes('/tests/') && !PLACES.some((place) => path.endsWith(place))) return undefined;
  const source = mutated ? change.source : readFileSync(path, 'utf8');
  const contents = source
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
  return { contents, loader: 'ts' };
}
