import type { Verdict } from '../fragment/fragment.ts';
import { readFragment } from '../fragment/parse.ts';
import type { Limits } from '../vocabulary/limits.ts';
import type { Table } from '../vocabulary/table.ts';
import type { Plan } from './plan.ts';
import { preflight } from './preflight.ts';

/** Reads a text whole, then walks it against a table. Pure. Linear, never recursive; performs nothing. */
export function checkText(text: string, table: Table, limits: Limits): Verdict<Plan> {
  const fragment = readFragment(text, limits);
  return fragment.ok ? preflight(fragment.value, table, limits) : fragment;
}
