import * as fc from 'fast-check';
import { WORDS } from './words.ts';

const words = (list: readonly string[], maxLength = 30): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...list), { maxLength }).map((parts) => parts.join(''));

const record: fc.Arbitrary<string> = fc
  .record(
    {
      version: fc.constantFrom<unknown>(1, 2, '2', 3),
      reader: fc.constantFrom<unknown>(1, 2, null),
      decision: fc.constantFrom<unknown>('admitted', 'refused', 1),
      occurrence: fc.constantFrom<unknown>(0, 1, -1, 1.5, '0'),
      outcome: fc.constantFrom<unknown>('completed', 'failed', 0),
      effects: fc.jsonValue(),
      observations: fc.jsonValue(),
      output: fc.jsonValue(),
      refusal: fc.jsonValue(),
      text: fc.oneof(fc.string(), fc.jsonValue()),
      policy: fc.oneof(
        fc.jsonValue(),
        fc.record({
          version: fc.constant(2),
          allow: fc.jsonValue(),
          allowed: fc.jsonValue(),
          requests: fc.jsonValue(),
          addresses: fc.jsonValue(),
          paths: fc.jsonValue(),
          limits: fc.jsonValue(),
          root: fc.jsonValue(),
        }),
      ),
      named: fc.jsonValue(),
      data: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.stringify(value));

/** Inputs for each target: mostly made of what the reader knows, so that most of them reach far into it. */
export const INPUTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  fragment: fc.oneof(
    { weight: 4, arbitrary: words(WORDS.fragment, 40) },
    fc.string({ unit: 'binary', maxLength: 200 }),
  ),
  record: fc.oneof({ weight: 4, arbitrary: record }, fc.json(), words(WORDS.json)),
  path: fc.oneof({ weight: 4, arbitrary: words(WORDS.path, 12) }, fc.string({ unit: 'binary', maxLength: 60 })),
  json: fc.oneof(words(WORDS.json), fc.json(), fc.string({ unit: 'binary', maxLength: 60 })),
  manifest: fc.oneof({ weight: 4, arbitrary: words(WORDS.manifest, 25) }, fc.string({ unit: 'binary', maxLength: 60 })),
  cel: fc.oneof({ weight: 4, arbitrary: words(WORDS.cel, 14) }, fc.string({ unit: 'binary', maxLength: 60 })),
};
