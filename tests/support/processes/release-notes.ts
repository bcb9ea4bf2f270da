import { putExample } from './examples.ts';
import type { Subject } from './sweep.ts';

/** The example as it is shipped, over a journal that can be told to fail. */
export function releaseNotes(decision: 'publish' | 'withdraw'): Subject {
  return {
    run: 'release-notes:2.4.0',
    start: ['run', 'telo.yaml', '--inputs', '{"version":"2.4.0"}'],
    answers: { 'steps/approve': { decision } },
    prepare: (sandbox) => putExample(sandbox, 'release-notes'),
  };
}
