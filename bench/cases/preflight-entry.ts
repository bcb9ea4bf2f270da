import { checkText } from '../../controllers/xmd/preflight/check.ts';
import { loadScanner } from '../../controllers/xmd/secrets/scanner.ts';
import { LIMIT_CEILINGS } from '../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../controllers/xmd/vocabulary/table.ts';

const scanner = await loadScanner();
const table = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });

/** The whole check of a fragment, as the compute of an admission does it. */
export function checkOnce(text: string): boolean {
  return checkText(text, table, LIMIT_CEILINGS).ok;
}

/** The scan for secrets that an admission adds to the check where a profile asks for it. */
export function scanOnce(text: string): boolean {
  return scanner.scan(text, []) === undefined;
}
