import type { Backend } from './backend.ts';
import { CAPABILITIES } from './capabilities.ts';
import type { Case } from './case.ts';
import { bindCase } from './case.ts';
import { definitions } from './cases/all.ts';

export interface ConformanceFailure {
  readonly id: string;
  readonly title: string;
  readonly error: unknown;
}

export interface ConformanceResult {
  readonly backend: string;
  /** Whether no case failed. What was skipped is listed, and does not count. */
  readonly ok: boolean;
  readonly passed: readonly string[];
  readonly failed: readonly ConformanceFailure[];
  readonly skipped: readonly { readonly id: string; readonly title: string; readonly because: string }[];
}

export interface ConformanceOptions {
  /** Told one line for each case, and a summary. */
  readonly report?: (line: string) => void;
}

/**
 * Every case of the suite, bound to a backend: to be handed to a test runner. Pure.
 *
 * @throws TypeError for a capability that the suite does not know
 */
export function conformanceCases(backend: Backend): readonly Case[] {
  const unknown = backend.cannot.find((capability) => !Object.hasOwn(CAPABILITIES, capability));
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is no capability of the suite`);
  return definitions.map((definition) => bindCase(definition, backend));
}

/** Tries every case, one after another. Effect: opens one place for each case. Never rejects for what a case finds. */
export async function runConformance(backend: Backend, options: ConformanceOptions = {}): Promise<ConformanceResult> {
  const report = options.report ?? ((): void => undefined);
  const passed: string[] = [];
  const failed: ConformanceFailure[] = [];
  const skipped: { id: string; title: string; because: string }[] = [];
  for (const { id, title, skip, run } of conformanceCases(backend)) {
    if (skip !== undefined) {
      skipped.push({ id, title, because: skip });
      report(`skip ${title} (${skip})`);
      continue;
    }
    const error = await errorOf(run);
    if (error === undefined) passed.push(id);
    else failed.push({ id, title, error: error.thrown });
    report(error === undefined ? `ok   ${title}` : `FAIL ${title}\n     ${messageOf(error.thrown)}`);
  }
  for (const capability of backend.cannot) report(`cannot ${capability}: ${CAPABILITIES[capability]}`);
  report(`${backend.name}: ${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
  return { backend: backend.name, ok: failed.length === 0, passed, failed, skipped };
}

async function errorOf(run: () => Promise<void>): Promise<{ readonly thrown: unknown } | undefined> {
  try {
    await run();
    return undefined;
  } catch (thrown) {
    // Whatever a backend throws is a finding about that backend.
    return { thrown };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
