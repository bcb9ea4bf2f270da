import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkText } from '../../controllers/xmd/preflight/check.ts';
import type { Plan, PlannedEffect } from '../../controllers/xmd/preflight/plan.ts';
import type { Verdict } from '../../controllers/xmd/fragment/fragment.ts';
import { LIMIT_DEFAULTS } from '../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../controllers/xmd/vocabulary/table.ts';

export interface CorpusCase {
  readonly name: string;
  readonly text: string;
  readonly expected: unknown;
}

/** The cases of one folder of the corpus: `name.xmd` beside `name.expected.json`. */
export function corpusCases(folder: 'admitted' | 'refused'): readonly CorpusCase[] {
  const directory = join(import.meta.dirname, folder);
  const names = readdirSync(directory).filter((file) => file.endsWith('.xmd'));
  return names.toSorted().map((file) => {
    const name = file.slice(0, -'.xmd'.length);
    return {
      name,
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(join(directory, file))),
      expected: JSON.parse(readFileSync(join(directory, `${name}.expected.json`), 'utf8')) as unknown,
    };
  });
}

const WIDEST = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });

/** Checks a text against the whole standard table and the default limits. */
export function checkWidest(text: string): Verdict<Plan> {
  return checkText(text, WIDEST, LIMIT_DEFAULTS);
}

/** Files that a plan writes, in the order of its effects; a nested write renders nothing. */
export function writtenFiles(plan: Plan): readonly { path: unknown; content: string }[] {
  return plan.effects.filter(isWrite).map((effect) => ({ path: effect.input['path'], content: contentOf(effect) }));
}

function isWrite(effect: PlannedEffect): boolean {
  return effect.operation.identity.key === 'File:write';
}

function contentOf(effect: PlannedEffect): string {
  return effect.literal ?? effect.children.map((child) => (child.kind === 'text' ? child.text : '')).join('');
}

/** Paths of the planned effects whose operation has one of these keys, nested ones included. */
export function plannedPaths(plan: Plan, keys: readonly string[]): readonly string[] {
  return plan.effects.filter((effect) => keys.some((key) => effect.operation.identity.key.startsWith(key))).map((effect) => String(effect.input['path']));
}
