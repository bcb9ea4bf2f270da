/** Schema fragments that several durable kinds share. */

export const JOURNAL = {
  title: 'Journal',
  description: 'The journal that remembers the runs.',
  'x-telo-ref': { kind: 'DurableLocal.Journal', use: 'dependency' },
};

export const WORKFLOW = {
  title: 'Workflow',
  description: 'The workflow whose runs are meant.',
  'x-telo-ref': { kind: 'DurableLocal.Workflow', use: 'dependency' },
};

export const RUN = {
  title: 'Run',
  description: 'Id of the run; where it is not stated, the call states it as `run`.',
  type: 'string',
  'x-telo-eval': 'runtime',
  'x-telo-context': { inputs: {} },
};

export const REASON = {
  title: 'Reason',
  description: 'Why, in a sentence for whoever reads the journal.',
  type: 'string',
  'x-telo-eval': 'runtime',
  'x-telo-context': { inputs: {} },
};

/** Number and unit. */
export const DURATION_PATTERN = '^\\s*\\d+(\\.\\d+)?\\s*(ms|s|m|h|d)\\s*$';

/** A body of steps that opens a zone. */
export function steps(description: string, zone: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return {
    title: 'Steps',
    description,
    type: 'array',
    items: { $ref: 'telo://manifest#/$defs/Step' },
    'x-telo-topology-role': 'steps',
    'x-telo-eval': 'runtime',
    'x-telo-provides-zone': zone,
  };
}

/** What a kind that lives in a durable run demands of its surroundings. */
export function inDurableRun(reason: string): Readonly<Record<string, unknown>> {
  return { zone: 'Durable.Run', attributes: ['replayed'], reason };
}

/** A code with one sentence. */
export function codes(sentences: Readonly<Record<string, string>>): {
  readonly codes: Readonly<Record<string, { readonly description: string }>>;
} {
  return {
    codes: Object.fromEntries(Object.entries(sentences).map(([code, description]) => [code, { description }])),
  };
}

/** The controller of a kind that nothing is an instance of. */
export async function abstractController(): Promise<never> {
  throw new TypeError('An abstract kind has no controller');
}
