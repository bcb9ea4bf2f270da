import { describe, expect, it } from 'vitest';
import { resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { contentWorld, producing, telling } from './content-scene.ts';
import { Scene } from './scene.ts';

const SECRET = 'hunter2-of-the-producer';
const CONTENT = [{ name: 'plan', invoke: { kind: 'T.K', name: 'producer' } }];

/** A producer that answers more than a text, and an operation that logs what it can see. */
function scene(text: string): { readonly scene: Scene; readonly seen: unknown[] } {
  const seen: unknown[] = [];
  const answer = {
    text,
    secret: SECRET,
    reveal: () => SECRET,
    toString: () => SECRET,
    toJSON: () => ({ text: SECRET }),
  };
  const operation = { form: 'self-closing', grant: 'read', revision: '1', props: { type: 'object' } };
  return {
    seen,
    scene: new Scene({
      files: { 'a.md': 'a' },
      content: CONTENT,
      profile: { operations: [{ ...operation, name: 'Ask', invoke: { kind: 'T.K', name: 'ask' } }] },
      targets: {
        producer: resource('T.K', 'producer', () => answer),
        ask: resource('T.K', 'ask', (inputs, context) => {
          seen.push({ inputs, zones: context?.zones ?? [], members: Object.keys(context ?? {}).toSorted() });
          return 'asked';
        }),
      },
    }),
  };
}

describe('E8 what a producer holds', () => {
  it('E8 EV-17 stays with it: an operation of the fragment is given its props, and a context without its zone', async () => {
    const { scene: holding, seen } = scene('<Ask secret="my own" />');
    const result = await holding.process().evaluate({});

    expect(result).toEqual({ observations: [{ name: 'Ask', value: 'asked' }], output: 'asked' });
    expect(seen).toEqual([{ inputs: { secret: 'my own' }, zones: [], members: ['cancellation'] }]);
    expect(JSON.stringify([result, seen])).not.toContain(SECRET);
  });

  it.each([
    ['{secret}', 'interpolation'],
    ['{steps.plan.result.secret}', 'interpolation'],
    ['{inputs.secret}', 'interpolation'],
    ['<Ask of={steps.plan.result.secret} />', 'expression'],
    ['<Ask of={text} />', 'expression'],
    ['<Ask as="secret" />', 'binding'],
    ['<Plan />', 'component'],
    ['<Content />', 'component'],
    ['<Producer />', 'component'],
    ['<T.K />', 'component'],
  ])('E8 EV-17 is not reached by %s, which is refused as %s', async (text, kind) => {
    const { scene: holding, seen } = scene(text);
    const run = new MemoryRun();
    const refused = holding
      .process({ content: [{ name: 'text', value: text }] })
      .evaluateIn(run.open(), { inputs: { secret: SECRET } });

    await expect(refused).rejects.toMatchObject({ code: 'ERR_XMD_REFUSED', data: { class: kind } });
    expect([seen, run.keys()]).toEqual([[], ['steps/apply/content/text', 'steps/apply/generated_xmd']]);
    expect(JSON.stringify(run.value('steps/apply/generated_xmd'))).not.toContain(text);
    await expect(scene('<Ask />').scene.process().evaluate({})).resolves.toMatchObject({ output: 'asked' });
  });

  it('E8 an expression of the profile sees nothing of the steps: check refuses it where it stands', async () => {
    const stated = (inputs: string) =>
      contentWorld({
        evaluate: producing(),
        others: `${telling('producer', '<Ask />')}kind: Shop.Call\nmetadata: { name: ask }\n---\n`,
        operations: `  - { name: Ask, form: self-closing, grant: read, revision: '1', invoke: !ref ask, inputs: { of: !cel ${inputs} } }\n`,
      });

    expect(await stated('steps.plan.result').check()).toMatchObject([expect.stringMatching(/CEL_UNKNOWN_VARIABLE$/)]);
    expect(await stated('inputs.task').check()).toMatchObject([expect.stringMatching(/CEL_UNKNOWN_VARIABLE$/)]);
    expect(await stated('effect.path').check()).toEqual([]);
  });
});

describe('E15 the authority of content is its author’s', () => {
  it('E15 EV-15 a producer that writes gives the fragment nothing: it may read alone, and reads what was written', async () => {
    const others = `kind: Xmd.Evaluate
metadata: { name: writing }
profile: !ref profile
allow: [write]
text: !literal '<File path="made.md">made</File>'
---
`;
    const evaluate = (text: string): string => `content:
  - { name: write, invoke: !ref writing }
  - { name: text, value: !literal '${text}' }
`;
    const refused = contentWorld({ evaluate: evaluate('<File path="more.md">x</File>'), allow: '[read]', others });
    expect(await (await refused.process()).run('r')).toMatchObject({
      status: 'failed',
      error: { code: 'ERR_XMD_REFUSED' },
    });
    expect([refused.get('made.md'), refused.get('more.md')]).toEqual(['made', undefined]);

    const reads = contentWorld({ evaluate: evaluate('<File path="made.md" />'), allow: '[read]', others });
    expect(await (await reads.process()).run('r')).toMatchObject({
      status: 'completed',
      result: { steps: { apply: { result: { output: 'made' } } } },
    });
  });
});

describe('E12 ordinary and workflow hosts', () => {
  it.each(['ordinary', 'workflow'])('E12 in a profile with host %s content is the same', async (host) => {
    const plain = new Scene({
      files: { 'a.md': 'a' },
      content: [{ name: 'text', value: 'seen <File path="a.md" />' }],
      profile: { host },
    });
    const run = new MemoryRun();

    await expect(plain.process().evaluateIn(run.open(), {})).resolves.toEqual({
      observations: [{ name: 'File', value: 'a' }],
      output: 'seen a',
    });
    expect(run.value('steps/apply/content/text')).toBe('seen <File path="a.md" />');
    expect(run.keys()).toEqual([
      'steps/apply/content/text',
      'steps/apply/generated_xmd',
      'steps/apply/xmd[0]/File',
      'steps/apply/generated_xmd/outcome',
    ]);
  });
});
