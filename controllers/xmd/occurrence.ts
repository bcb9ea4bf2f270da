import type { DurableRunHandle } from '@telorun/sdk';
import { stepPath } from '@telorun/sdk';
import { occurrenceBusy } from './errors.ts';

/** How one entry into an evaluation ended. */
type Ending = 'completed' | 'failed' | 'suspended';

/** One entry into one evaluation of one step path. */
export interface Occurrence {
  /** Number of evaluations completed here before, in this execution. */
  readonly index: number;
  /** Path below which everything of this occurrence is recorded. */
  readonly base: string;
  /** Entries of this occurrence, in this execution, that ended in an error. */
  readonly failures: number;
  /** Whether an occurrence that completed here before stated this approval: one counts once. */
  isUsed(approved: string): boolean;
  /** Closes the entry; the next one at the path is judged by it. */
  end(how: Ending, approved?: string): void;
}

interface Site {
  /** Which entry into the step at the path the completed ones belong to. */
  entry: number | undefined;
  completed: number;
  failures: number;
  state: 'free' | 'running' | 'suspended';
  readonly used: Set<string>;
}

// A handle is made for each execution and never shared, so its sites are those of one execution.
const sites = new WeakMap<DurableRunHandle, Map<string, Site>>();

/**
 * Enters the evaluation at `path`, so that repeated ones never read one another's records.
 *
 * Effect: occupies the path in this process until `end`.
 *
 * @throws InvokeError ERR_XMD_OCCURRENCE_BUSY while another entry is under way or suspended there
 * @see kernel-specs/evaluate.md EV-20
 */
export function enterOccurrence(handle: DurableRunHandle, path: string): Occurrence {
  const site = siteOf(handle, path);
  if (site.state !== 'free') {
    throw occurrenceBusy(path, site.state);
  }
  site.state = 'running';
  // What a step had completed before it failed on the way to its record is entered again, not passed over.
  const entry = handle.entryOf?.(path);
  if (entry !== undefined && entry !== site.entry) {
    [site.entry, site.completed] = [entry, 0];
    site.used.clear();
  }
  const index = site.completed;
  return {
    index,
    base: index === 0 ? path : stepPath(path, 'occurrence', index),
    failures: site.failures,
    isUsed: (approved) => site.used.has(approved),
    end(how, approved) {
      site.state = how === 'suspended' ? 'suspended' : 'free';
      if (how === 'completed') {
        site.completed += 1;
        site.failures = 0;
        if (approved !== undefined) site.used.add(approved);
      } else if (how === 'failed') {
        site.failures += 1;
      }
    },
  };
}

function siteOf(handle: DurableRunHandle, path: string): Site {
  let atHandle = sites.get(handle);
  if (atHandle === undefined) {
    atHandle = new Map();
    sites.set(handle, atHandle);
  }
  let site = atHandle.get(path);
  if (site === undefined) {
    site = { entry: undefined, completed: 0, failures: 0, state: 'free', used: new Set() };
    atHandle.set(path, site);
  }
  return site;
}
