import type { DecisionKind } from '@telorun/sdk';
import type { JournalEntry } from '@telorun/sdk/journal';

function decided(path: string, decision: DecisionKind, value: unknown): JournalEntry {
  return { path, kind: 'decision', decision, value };
}

function done(path: string, kind: string, value: unknown): JournalEntry {
  return {
    path,
    kind: 'step',
    target: { kind, name: kind.replace('Test.', '').toLowerCase(), module: 'tests' },
    value,
  };
}

/**
 * The entries of the program of the cases S7, in order. A change here is a change of the durable format.
 *
 * @see kernel-specs/steps.md
 */
export const GOLDEN: readonly JournalEntry[] = [
  decided('steps/settings', 'value', { fixed: 'one' }),
  decided('steps/skipped/when', 'predicate', false),
  decided('steps/read/when', 'predicate', true),
  decided('steps/read/inputs', 'inputs', { of: { fixed: 'one' } }),
  done('steps/read', 'Test.Echo', { echoed: { of: { fixed: 'one' } } }),
  decided('steps/choose/if', 'predicate', true),
  done('steps/choose/then/_inputs', 'Test.Echo', { echoed: {} }),
  decided('steps/route/switch', 'switch', 'a/b'),
  decided('steps/route/cases/a%2Fb/x%5B1%5D', 'value', null),
  decided('steps/poll/while[0]', 'condition', true),
  done('steps/poll/do[0]/turn', 'Test.Turn', false),
  decided('steps/poll/while[1]', 'condition', true),
  done('steps/poll/do[1]/turn', 'Test.Turn', true),
  decided('steps/poll/while[2]', 'condition', false),
  decided('steps/risky/catch', 'value', { message: 'as stated', code: 'ERR_TEST', data: { n: 1 }, step: 'risky' }),
  decided('steps/risky/catch/note/inputs', 'inputs', { code: 'ERR_TEST' }),
  done('steps/risky/catch/note', 'Test.Echo', { echoed: { code: 'ERR_TEST' } }),
  decided('steps/risky/finally/clean', 'value', 'cleaned'),
  decided('steps/flaky/retry[0]', 'value', 1011),
  done('steps/flaky', 'Test.Flaky', 'second'),
  decided('steps/nested/_retry/inputs', 'inputs', { inner: true }),
  done('steps/nested/_retry', 'Test.Echo', { echoed: { inner: true } }),
  decided('steps/nested/last', 'value', 'inner'),
  done('steps/nested', 'Test.Nested', { turns: 1 }),
  decided('steps/each/iterate[0]/_retry/inputs', 'inputs', { inner: true }),
  done('steps/each/iterate[0]/_retry', 'Test.Echo', { echoed: { inner: true } }),
  decided('steps/each/iterate[0]/last', 'value', 'inner'),
  decided('steps/each/iterate[1]/_retry/inputs', 'inputs', { inner: true }),
  done('steps/each/iterate[1]/_retry', 'Test.Echo', { echoed: { inner: true } }),
  decided('steps/each/iterate[1]/last', 'value', 'inner'),
  done('steps/each', 'Test.Each', { turns: 2 }),
];
