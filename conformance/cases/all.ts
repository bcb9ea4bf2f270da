import type { CaseDefinition } from '../case.ts';
import { branches } from './branches.ts';
import { decisions } from './decisions.ts';
import { effects } from './effects.ts';
import { evaluating } from './evaluating.ts';
import { keys } from './keys.ts';
import { requirements } from './requirements.ts';
import { retries } from './retries.ts';
import { signals } from './signals.ts';
import { storeRuns } from './store-runs.ts';
import { storeWaits } from './store-waits.ts';
import { values } from './values.ts';
import { waits } from './waits.ts';
import { zones } from './zones.ts';

/** Every case, in the order in which they are tried. */
export const definitions: readonly CaseDefinition[] = [
  ...requirements,
  ...effects,
  ...decisions,
  ...waits,
  ...signals,
  ...zones,
  ...values,
  ...keys,
  ...retries,
  ...branches,
  ...storeRuns,
  ...storeWaits,
  ...evaluating,
];
