// Coverage-guided fuzzing of one reader: inputs that reach a block, or reach it more often than any before, are kept and
// changed further. Coverage is the engine's own, block by block, taken after every input.
// Usage: node tests/fuzz/coverage-guided.mjs [--target fragment|record|path|json|cel|manifest] [--seconds 60] [--seed N]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..', '..');
const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'fragment' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.trunc(Math.random() * 0x7fff_ffff)) },
  },
});
const MAX_LENGTH = 4096;
/** An input that takes longer than this is reported like one that throws. */
const SLOW_MS = 2000;

const folder = mkdtempSync(join(tmpdir(), 'xmd-fuzz-'));
const random = generator(Number(values.seed));
const { promise, words, seeded } = await load(values.target);
const session = new Session();
session.connect();
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
await run();

async function run() {
  process.stdout.write(`fuzz ${values.target}: ${values.seconds} s, --seed ${values.seed}\n`);
  const seen = new Set();
  const corpus = ['', ...seeds(values.target)];
  for (const input of corpus) await execute(input, seen);
  const [first, start] = [seen.size, performance.now()];
  let executions = 0;
  for (; performance.now() - start < Number(values.seconds) * 1000; executions += 1) {
    const input = changed(corpus);
    if (await execute(input, seen)) corpus.push(input);
  }
  const blocks = new Set([...seen].map((key) => key.slice(0, key.lastIndexOf(':'))));
  process.stdout.write(
    `${executions} executions; ${blocks.size} blocks reached; ${first} counts of blocks by the seeds, ${seen.size} in the end; ${corpus.length} inputs kept; nothing found\n`,
  );
  rmSync(folder, { recursive: true });
}

/** Answers whether the input reached something new. */
async function execute(input, seen) {
  const start = performance.now();
  try {
    await promise(input);
    if (performance.now() - start > SLOW_MS) throw new Error(`took ${Math.round(performance.now() - start)} ms`);
  } catch (error) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'found.txt'), input);
    process.stdout.write(`found, in ${join(folder, 'found.txt')}: ${JSON.stringify(input.slice(0, 300))}\n`);
    throw error;
  }
  const before = seen.size;
  for (const { url, functions } of post('Profiler.takePreciseCoverage').result) {
    if (!url.endsWith('/target.mjs')) continue;
    for (const { ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges) {
        if (count > 0) seen.add(`${startOffset}-${endOffset}:${Math.min(10, Math.ceil(Math.log2(count + 1)))}`);
      }
    }
  }
  return seen.size > before;
}

function changed(corpus) {
  let text = pick(corpus);
  for (let change = 1 + Math.trunc(random() * 4); change > 0; change -= 1) {
    const at = Math.trunc(random() * (text.length + 1));
    const to = Math.min(text.length, at + Math.trunc(random() * random() * 40));
    const other = pick(corpus);
    const from = Math.trunc(random() * other.length);
    text = pick([
      () => text.slice(0, at) + text.slice(to),
      () => text.slice(0, at) + pick(words) + text.slice(at),
      () => text.slice(0, at) + pick(words) + text.slice(to),
      () => text.slice(0, at) + other.slice(from, from + 60) + text.slice(to),
      () => text.slice(0, at) + text.slice(at, to).repeat(2) + text.slice(to),
      () => text.slice(0, at) + String.fromCharCode(Math.trunc(random() * 0x250)) + text.slice(Math.min(to, at + 1)),
      () => text.slice(0, at),
    ])();
  }
  return text.slice(0, MAX_LENGTH);
}

function pick(list) {
  return list[Math.trunc(random() * list.length)];
}

/** Mulberry32: the same numbers for the same seed. */
function generator(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function post(method, params) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

async function load(name) {
  const outfile = join(folder, 'target.mjs');
  await build({
    stdin: {
      contents: ['targets', 'words', 'seeds'].map((file) => `export * from './tests/fuzz/${file}.ts';`).join('\n'),
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['source'],
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    outfile,
    logLevel: 'error',
  });
  const { TARGETS, WORDS, SEEDS } = await import(pathToFileURL(outfile).href);
  if (TARGETS[name] === undefined) throw new TypeError(`There is no target ${name}`);
  return { promise: TARGETS[name], words: WORDS[name] ?? WORDS.json, seeded: SEEDS[name] ?? [] };
}

/** Fragments of the corpus, manifests, records that are right: what mutation begins with. */
function seeds(target) {
  if (target === 'fragment')
    return [...filesIn('tests/corpus/admitted', '.xmd'), ...filesIn('tests/corpus/refused', '.xmd')];
  if (target === 'manifest') return [...filesIn('manifests', '.yaml'), ...filesIn('tests/manifests', '.yaml')];
  return seeded;
}

function filesIn(directory, ending) {
  const names = readdirSync(join(root, directory), { recursive: true }).filter((name) => name.endsWith(ending));
  return names
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((name) => readFileSync(join(root, directory, name), 'utf8').slice(0, MAX_LENGTH));
}
