// What an earlier run of mutation testing learned: one JSON line for each mutant. A mutant is known by its file, the digest
// of that file, its place and its text, so a file that changed is tried anew and nothing else is.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Opens `file` (undefined: nothing is kept). `again`: survivors count as not yet tried, because tests were added. */
export function openResults(file, { root, again }) {
  const digests = new Map();
  const known = new Map();
  if (file !== undefined && existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const { key, ...result } = JSON.parse(line);
      known.set(key, result);
    }
  }
  return { earlier, keep };

  /** What an earlier run learned of this mutant, or undefined where it is to be run. */
  function earlier(mutant) {
    const result = known.get(keyOf(mutant));
    return again && result?.outcome === 'survived' ? undefined : result;
  }

  function keep(mutant, { outcome, by }) {
    if (file === undefined) return;
    const { line, was } = mutant;
    appendFileSync(file, `${JSON.stringify({ key: keyOf(mutant), outcome, by, line, was })}\n`);
  }

  function keyOf({ file: source, start, end, text }) {
    if (!digests.has(source)) digests.set(source, createHash('sha256').update(readFileSync(source)).digest('hex'));
    return [relative(root, source), digests.get(source).slice(0, 16), start, end, text].join(' ');
  }
}
