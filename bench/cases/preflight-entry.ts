import { checkText } from '../../controllers/xmd/preflight/check.ts';
import { LIMIT_CEILINGS } from '../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../controllers/xmd/vocabulary/table.ts';

const table = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });

/** The whole check of a fragment, as the compute of an admission does it. */
export function checkOnce(text: string): boolean {
  return checkText(text, table, LIMIT_CEILINGS).ok;
}
