import { describe, expect, it } from 'vitest';
import type { PlannedEffect } from '../../controllers/xmd/preflight/plan.ts';
import { checkWidest, corpusCases } from '../corpus/corpus.ts';

// A span whose end is cut off is text again, and what it hid is live: the language has no other place like it.
const HIDES_IN_A_SPAN = /^F-34-span-hides-/;
const cases = corpusCases('admitted').filter(({ name, text }) => !HIDES_IN_A_SPAN.test(name) && text.length < 4000);

describe('an admitted fragment, cut at every byte', () => {
  it.each(cases.map((one) => [one.name, one] as const))('F-14 %s never does what the whole does not', (_, { text }) => {
    const whole = checkWidest(text);
    const complete = new Set(whole.ok ? whole.value.effects.map(told) : []);
    const bytes = Buffer.from(text);

    const strangers = [];
    for (let cut = 0; cut < bytes.length; cut += 1) {
      const verdict = checkWidest(bytes.subarray(0, cut).toString('utf8'));
      const effects = verdict.ok ? verdict.value.effects.map(told) : [];
      strangers.push(...effects.filter((effect) => !complete.has(effect)));
    }

    expect(strangers).toEqual([]);
  });
});

/** An effect with everything it does, so that a shortened write is another one. */
function told(effect: PlannedEffect): string {
  const { segment, input, literal, children, operation } = effect;
  const content = children.map((child) => (child.kind === 'text' ? child.text : told(child)));
  return JSON.stringify({ segment, input, literal, content, key: operation.identity.key });
}
