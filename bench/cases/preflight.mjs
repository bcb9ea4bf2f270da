import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtempSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The check of the Evaluate kind itself, bundled from its source. The median of repeated readings after a warm-up. */
export async function preflight({ file }) {
  const outfile = join(mkdtempSync(join(tmpdir(), 'telo-xmd-bench-')), 'check.mjs');
  buildSync({
    absWorkingDir: join(import.meta.dirname, '..', '..'),
    entryPoints: ['./bench/cases/preflight-entry.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    conditions: ['source'],
    outfile,
  });
  const { checkOnce, scanOnce } = await import(pathToFileURL(outfile).href);
  const text = readFileSync(file, 'utf8');
  const repeats = text.length > 1e6 ? 5 : 60;
  const median = (work) => {
    const figures = [];
    for (let index = 0; index < repeats; index += 1) {
      const began = Number(process.hrtime.bigint());
      if (!work(text)) throw new Error('The text of the bench is refused');
      figures.push((Number(process.hrtime.bigint()) - began) / 1e6);
    }
    return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)];
  };
  return { ms: median(checkOnce), scanMs: median(scanOnce) };
}
