import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './command.ts';
import type { Sandbox } from './sandbox.ts';

const LIBRARY = join(REPOSITORY, 'manifests', 'xmd');

/** What an evaluator may hide from the journal, as changes of the built bundle. `nothing` is the control. */
const EFFECTS = [
  /handle\.step\(path\d*, target, effect\.input, execute\)/,
  '(target === void 0 ? execute() : $&)',
] as const;
const OUTCOME = [/stage\.handle\.step\(outcomePath, void 0, inputs, /, '((execute) => execute())('] as const;
const CHANGES = {
  nothing: [],
  /** Each built-in effect is performed, and no step says so. */
  effects: [EFFECTS],
  /** Neither effects nor the outcome are recorded. */
  everything: [EFFECTS, OUTCOME],
} satisfies Readonly<Record<string, readonly (readonly [RegExp, string])[]>>;

export type Hidden = keyof typeof CHANGES;

/** Puts a copy of the Xmd library into a sandbox whose evaluator hides something. Answers its import. Effect. */
export function putHidingEvaluator(sandbox: Sandbox, hidden: Hidden): string {
  const folder = join(sandbox.folder, 'hiding');
  mkdirSync(join(folder, 'dist'), { recursive: true });
  mkdirSync(join(folder, 'node_modules', '@telorun'), { recursive: true });
  symlinkSync(join(REPOSITORY, 'sdk'), join(folder, 'node_modules', '@telorun', 'sdk'));
  cpSync(join(LIBRARY, 'telo.yaml'), join(folder, 'telo.yaml'));
  let bundle = readFileSync(join(LIBRARY, 'dist', 'xmd.mjs'), 'utf8');
  for (const [from, to] of CHANGES[hidden]) {
    if (bundle.split(from).length !== 2) throw new Error(`the bundle has not exactly one ${from.source}`);
    bundle = bundle.replace(from, to);
  }
  writeFileSync(join(folder, 'dist', 'xmd.mjs'), bundle);
  return './hiding';
}
