// npm run bench [-- --quick] [--rounds N] [--most EFFECTS] [--json FILE]
// First execution, replay, preflight and cold start, each beside its floor, in one run. Only ratios compare machines.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeApplication, writeHello } from './applications.mjs';
import { fragmentText } from './texts.mjs';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    json: { type: 'string' },
    rounds: { type: 'string' },
    most: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const most = Number(values.most ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), 'telo-xmd-bench-'));
const child = join(import.meta.dirname, 'child.mjs');
const cli = join(import.meta.dirname, '..', 'dist', 'kernel', 'main.mjs');

let unique = 0;
const fresh = (name) => {
  unique += 1;
  const path = join(folder, `${name}-${unique}`);
  mkdirSync(path);
  return path;
};

/** Runs one case in a process of its own and answers what it measured. */
function measure(name, parameters) {
  const text = execFileSync(process.execPath, ['--expose-gc', child, name, JSON.stringify(parameters)], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(text.trim().split('\n').at(-1));
}

function wallMs(args) {
  const began = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The hello of the bench failed: ${stderr}`);
  return Number(process.hrtime.bigint() - began) / 1e6;
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const rows = [];

/** Interleaves the rounds of a case and its floor, so that a slow spell of the machine hits both. */
function compare(title, { goal, better, ours, floor, unit }) {
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) {
    const bound = floor();
    const own = ours();
    pairs.push({ own, bound, ratio: own / bound });
  }
  const ratio = median(pairs.map((pair) => pair.ratio));
  const met = better === 'higher' ? ratio >= goal : ratio <= goal;
  const row = {
    title,
    unit,
    ours: median(pairs.map((pair) => pair.own)),
    floor: median(pairs.map((pair) => pair.bound)),
    ratio,
    goal: `${better === 'higher' ? '>=' : '<='} ${goal}`,
    met,
  };
  rows.push(row);
  print(row);
  return row;
}

function note(title, value, goal, met) {
  rows.push({ title, ours: value, goal, met });
  console.log(
    `${title.padEnd(58)} ${String(value).padStart(12)} ${''.padStart(12)} ${''.padStart(8)}  ${goal.padEnd(10)} ${met ? 'met' : 'MISSED'}`,
  );
}

const shown = (number) => (number >= 100 ? number.toFixed(0) : number.toFixed(2)).padStart(12);

function print({ title, ours, floor, ratio, goal, met }) {
  console.log(
    `${title.padEnd(58)} ${shown(ours)} ${shown(floor)} ${ratio.toFixed(3).padStart(8)}  ${goal.padEnd(10)} ${met ? 'met' : 'MISSED'}`,
  );
}

console.log(
  `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), kernel ${release()}, medians of ${rounds}, durability FULL\n`,
);
console.log(`${'figure'.padEnd(58)} ${'ours'.padStart(12)} ${'floor'.padStart(12)} ${'ratio'.padStart(8)}  goal`);

const sizes = values.quick ? [300] : [1000, 10_000];
for (const n of sizes) {
  compare(`nested read effects/s, ${n} files of 1 KB`, {
    goal: 0.8,
    better: 'higher',
    unit: 'effects/s',
    floor: () => measure('floor-rows', { n, bytes: 1024, folder: fresh('floor') }).perSecond,
    ours: () => measure('effects', { n, folder: writeApplication(fresh('reads'), { n, mode: 'read' }) }).perSecond,
  });
}
const writes = values.quick ? 200 : 1000;
compare(`nested write effects/s, ${writes} files of 1 KB`, {
  goal: 0.85,
  better: 'higher',
  unit: 'effects/s',
  floor: () => measure('floor-writes', { n: writes, folder: fresh('floor') }).perSecond,
  ours: () =>
    measure('effects', { n: writes, folder: writeApplication(fresh('writes'), { n: writes, mode: 'write' }) })
      .perSecond,
});
const steps = values.quick ? 300 : 1000;
compare(`Run.Value steps/s, ${steps} steps of two records each`, {
  goal: 0.85,
  better: 'higher',
  unit: 'steps/s',
  floor: () => measure('floor-rows', { n: steps * 2, folder: fresh('floor') }).perSecond / 2,
  ours: () =>
    measure('effects', { n: steps, folder: writeApplication(fresh('steps'), { n: steps, mode: 'steps' }) }).perSecond,
});

/** Flushes (fsync, fdatasync) that a case makes for each of its effects: those of twice as many, less those of `n`. */
function flushesPerEffect(n, run) {
  const count = (effects) => {
    const calls = join(fresh('calls'), 'calls.txt');
    const [name, parameters] = run(effects);
    const traced = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', calls, process.execPath, '--expose-gc', child];
    const { status, stderr } = spawnSync('strace', [...traced, name, JSON.stringify(parameters)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`The bench cannot count flushes: ${stderr}`);
    return readFileSync(calls, 'utf8').match(/\bf(?:data)?sync\(/g)?.length ?? 0;
  };
  return (count(2 * n) - count(n)) / n;
}

if (spawnSync('strace', ['-V']).error === undefined) {
  const counted = values.quick ? 100 : 400;
  const ofMode = (mode) =>
    flushesPerEffect(counted, (n) => ['effects', { n, folder: writeApplication(fresh('flushes'), { n, mode }) }]);
  const reads = ofMode('park');
  note('flushes per nested read (strace)', reads.toFixed(2), '<= 1.05', reads <= 1.05);
  // Pre-image, file, folder, record: a crash between any two of them is told apart by what is on disk.
  const written = ofMode('write');
  note('flushes per nested write (strace)', written.toFixed(2), '<= 4.05', written <= 4.05);
  const stepped = ofMode('steps');
  note('flushes per step of two records (strace)', stepped.toFixed(2), '<= 2.05', stepped <= 2.05);
} else {
  console.log('flushes per effect: not counted, strace is not installed');
}

const replays = new Map();
for (const n of values.quick ? [300] : [1000, 10_000, 100_000].filter((size) => size <= most)) {
  const application = writeApplication(fresh('replay'), { n, mode: 'park' });
  const first = measure('effects', { n, folder: application });
  const row = compare(`replay of ${n} effects, fresh process, ms`, {
    goal: 3,
    better: 'lower',
    unit: 'ms',
    floor: () => measure('floor-replay', { folder: application }).ms,
    ours: () => measure('replay', { n, folder: application }).ms,
  });
  replays.set(n, { first, row });
}
for (const [n, { row }] of replays) {
  const ten = replays.get(n * 10);
  if (ten !== undefined) {
    const growth = ten.row.ours / row.ours;
    note(`replay time, ${n * 10} over ${n}`, growth.toFixed(2), '<= 11', growth <= 11);
  }
}
const largest = [...replays.keys()].at(-1);
const { first } = replays.get(largest);
note(
  `cost of the last tenth over the first tenth, ${largest} effects`,
  first.flatness.toFixed(2),
  '<= 1.3',
  first.flatness <= 1.3,
);
note(
  'journal bytes per read effect beyond its value',
  first.bytesPerEffect.toFixed(0),
  '<= 250',
  first.bytesPerEffect <= 250,
);
const memoryOf = values.quick ? 300 : 10_000;
compare(`peak memory of ${memoryOf} effects up to a wait, MB`, {
  goal: 2,
  better: 'lower',
  unit: 'MB',
  floor: () => measure('floor-rows', { n: memoryOf, bytes: 1024, folder: fresh('floor') }).peakMb,
  ours: () =>
    measure('effects', { n: memoryOf, folder: writeApplication(fresh('memory'), { n: memoryOf, mode: 'park' }) })
      .peakMb,
});

for (const bytes of values.quick ? [65_536] : [65_536, 4_194_304]) {
  const file = join(fresh('text'), 'fragment.xmd');
  writeFileSync(file, fragmentText(bytes));
  const size = statSync(file).size;
  const figures = Array.from({ length: rounds }, () => measure('preflight', { file }));
  const ms = median(figures.map((figure) => figure.ms));
  const rate = size / 1e6 / (ms / 1000);
  if (bytes === 65_536) note('preflight of 64 KB, ms', ms.toFixed(2), '< 3', ms < 3);
  const scanMs = median(figures.map((figure) => figure.scanMs));
  note(`the scan for secrets on top, ${(size / 1e6).toFixed(2)} MB, ms`, scanMs.toFixed(2), '<= check', scanMs <= ms);
  note(`preflight of ${(size / 1e6).toFixed(2)} MB, MB/s`, rate.toFixed(0), '>= 40', rate >= 40);
}

const hello = writeHello(fresh('hello'));
compare('hello, cold, ms', {
  goal: 2.5,
  better: 'lower',
  unit: 'ms',
  floor: () => wallMs([join(import.meta.dirname, 'floor-hello.mjs'), join(fresh('floor'), 'hello.db')]),
  ours: () => wallMs([cli, 'run', hello]),
});

if (values.json !== undefined) {
  const machine = {
    node: process.version,
    cpus: cpus().length,
    model: cpus()[0]?.model,
    kernel: release(),
    rounds,
    durability: 'FULL',
  };
  writeFileSync(values.json, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
}
rmSync(folder, { recursive: true, force: true });
