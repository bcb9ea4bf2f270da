import type { Backend } from './backend.ts';
import type { Capability } from './capabilities.ts';
import { CAPABILITIES } from './capabilities.ts';
import { failed } from './expect.ts';
import { Stage } from './stage.ts';

/** A case as its file states it. */
export interface CaseDefinition {
  /** The row it belongs to, and a word: `S1-replay`. Stable within a major version. */
  readonly id: string;
  readonly title: string;
  /** What it cannot be tried without. */
  readonly needs: readonly Capability[];
  readonly run: (stage: Stage) => Promise<void>;
}

/** One case against one backend, for any test runner. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** Why it is not tried: what the backend declares it cannot do. Undefined for a case to run. */
  readonly skip: string | undefined;
  /**
   * Effect: opens a place, tries the case, closes the place.
   *
   * @throws AssertionError that says what was expected and found
   */
  readonly run: () => Promise<void>;
}

/** How long a case may take, in milliseconds: a backend that never answers fails instead of hanging. */
const CASE_MS_MAX = 60_000;

/** Binds a case to a backend. Pure. */
export function bindCase(definition: CaseDefinition, backend: Backend): Case {
  const { id, title, needs } = definition;
  const lacking = needs.filter((need) => backend.cannot.includes(need));
  return {
    id,
    title: `${id} ${title}`,
    skip: lacking.length === 0 ? undefined : `cannot: ${lacking.join(', ')}`,
    run: async () => {
      const [first] = lacking;
      if (first !== undefined) failed(`${backend.name} declares "${first}" (${CAPABILITIES[first]}): skip this case`);
      const stage = new Stage(backend, await backend.open());
      try {
        await withinLimit(definition.run(stage));
      } finally {
        await stage.close();
      }
    },
  };
}

async function withinLimit(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      try {
        failed(`expected the case to end within ${CASE_MS_MAX} ms`);
      } catch (error) {
        reject(error);
      }
    }, CASE_MS_MAX);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
