import type { InvokeContext } from '@telorun/sdk';
import { UNCANCELLABLE_CONTEXT } from '@telorun/sdk';
import { describe, expect, it, vi } from 'vitest';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { contentWorld } from './content-scene.ts';
import { Scene } from './scene.ts';

vi.mock('../../../controllers/xmd/providers/host-files.ts', async (original) =>
  (await import('./counting-files.ts')).counting(await original()),
);

const READ = '<File path="a.md" />';
const CONTENT = [{ name: 'plan', invoke: { kind: 'T.K', name: 'producer' } }];
const GATE = 'kind: Durable.Await\nmetadata: { name: gate }\n---\n';
const EACH = `kind: Run.Iteration
metadata: { name: each }
collection: [1, 2, 3]
concurrency: 3
steps:
  - { name: apply, invoke: !ref apply, inputs: { inputs: { n: !cel item } } }
---
`;
/** Makes a text that differs with each call: what a producer was given, and where it was asked. */
const EVALUATE = `content:
  - { name: plan, invoke: !ref producer, inputs: { n: !cel inputs.n } }
  - { name: text, value: !cel "'<Ask n=\\"' + string(steps.plan.result.n) + '\\" />'" }
`;
const OTHERS = 'kind: Shop.Call\nmetadata: { name: producer }\n---\nkind: Shop.Call\nmetadata: { name: ask }\n---\n';
const PROPS = 'props: { type: object, properties: { n: { type: string } } }';
const OPERATIONS = `  - { name: Ask, form: self-closing, grant: read, revision: '1', ${PROPS}, invoke: !ref ask }\n`;

describe('E10 repeated occurrences with content', () => {
  it.each([
    [
      'a fan-out',
      '  - { name: each, invoke: !ref each }\n  - { name: gate, invoke: !ref gate }\n',
      (n: number) => `steps/each/iterate[${n}]/apply`,
    ],
    [
      'a loop',
      `  - name: again
    while: !cel "!has(steps.turn) || size(steps.turn.result) < 3"
    do:
      - { name: turn, value: !cel "has(steps.turn) ? steps.turn.result + 'x' : 'x'" }
      - { name: apply, invoke: !ref apply, inputs: { inputs: { n: !cel string(size(steps.turn.result)) } } }
  - { name: gate, invoke: !ref gate }
`,
      (n: number) => `steps/again/do[${n}]/apply`,
    ],
  ])(
    'E10 in %s: each producer is asked once, each text performed once, over two processes',
    async (_name, steps, at) => {
      const world = contentWorld({ evaluate: EVALUATE, others: GATE + EACH + OTHERS, operations: OPERATIONS, steps });
      const first = await world.process();
      expect(await first.run('r')).toMatchObject({ status: 'parked' });
      await first.kernel.close();
      const second = await world.process();
      await second.workflow.journal.answer({ run: 'r' }, 'go');
      expect(await second.workflow.execute('r')).toMatchObject({ status: 'completed' });

      const paths = (name: string): readonly (string | null)[] =>
        world.calls
          .filter((call) => call.name === name)
          .map(({ path }) => path)
          .toSorted();
      expect(paths('producer')).toEqual([0, 1, 2].map((n) => `${at(n)}/content/plan`));
      expect(paths('ask')).toEqual([0, 1, 2].map((n) => `${at(n)}/xmd[0]/Ask`));
      for (const n of [0, 1, 2]) {
        expect(await second.value('r', `${at(n)}/generated_xmd`)).toMatchObject({ text: `<Ask n="${n + 1}" />` });
        expect(await second.value('r', `${at(n)}/xmd[0]/Ask`)).toEqual({ n: String(n + 1) });
      }
    },
  );

  it('E10 EV-15 twice at one path in one execution: the second has all of its records below occurrence[1]', async () => {
    const calls: string[] = [];
    const texts = [READ, 'again <File path="b.md" />'];
    const scene = new Scene({
      files: { 'a.md': 'a', 'b.md': 'b' },
      content: CONTENT,
      targets: {
        producer: resource('T.K', 'producer', (_inputs, context) => texts[calls.push(context?.durablePath ?? '') - 1]),
      },
    });
    const run = new MemoryRun();
    const both = async (): Promise<unknown> => {
      const [handle, process] = [run.open(), scene.process()];
      return [await process.evaluateIn(handle, {}), await process.evaluateIn(handle, {})];
    };
    const once = await both();

    expect(once).toMatchObject([{ output: 'a' }, { output: 'again b' }]);
    expect(calls).toEqual(['steps/apply/content/plan', 'steps/apply/occurrence[1]/content/plan']);
    expect(run.keys().slice(4)).toEqual([
      'steps/apply/occurrence[1]/content/plan',
      'steps/apply/occurrence[1]/generated_xmd',
      'steps/apply/occurrence[1]/xmd[0]/File',
      'steps/apply/occurrence[1]/generated_xmd/outcome',
    ]);
    expect(await both()).toEqual(once);
    expect([calls.length, scene.calls.length]).toEqual([2, 2]);
  });

  it('EV-15 a later attempt takes the text from the journal, and one whose producer failed asks it again', async () => {
    const order: string[] = [];
    const scene = new Scene({
      files: { 'a.md': 'a' },
      content: CONTENT,
      profile: {
        operations: [
          { name: 'Ask', form: 'self-closing', grant: 'read', revision: '1', invoke: { kind: 'T.K', name: 'ask' } },
        ],
      },
      targets: {
        producer: resource('T.K', 'producer', () => {
          if (order.push('producer') === 1) throw new Error('not yet');
          return '<Ask />';
        }),
        ask: resource('T.K', 'ask', () => {
          if (order.push('ask') === 3) throw new Error('not yet');
          return 'asked';
        }),
      },
    });
    const [run, process] = [new MemoryRun(), scene.process()];
    const handle = run.open();
    const attempt = (index: number): Promise<unknown> => process.evaluateIn(handle, {}, { attempt: index });

    await expect(attempt(0)).rejects.toThrow('not yet');
    expect(run.keys()).toEqual([]);
    await expect(attempt(1)).rejects.toThrow('not yet');
    await expect(attempt(2)).resolves.toMatchObject({ observations: [{ name: 'Ask', value: 'asked' }] });
    expect(order).toEqual(['producer', 'producer', 'ask', 'ask']);
    expect(run.keys().filter((key) => key.includes('outcome'))).toEqual([
      'steps/apply/generated_xmd/outcome[1]',
      'steps/apply/generated_xmd/outcome[2]',
    ]);
  });
});

describe('EV-15 where nothing is recorded', () => {
  const scene = (): { readonly scene: Scene; readonly contexts: (InvokeContext | undefined)[] } => {
    const contexts: (InvokeContext | undefined)[] = [];
    const producer = resource('T.K', 'producer', (_inputs, context) => (contexts.push(context), READ));
    const zones = { region: { idempotent: 'harmless' } };
    return {
      scene: new Scene({ files: { 'a.md': 'a' }, content: CONTENT, targets: { producer }, zones }),
      contexts,
    };
  };

  it('EV-46 outside a run the same content makes the same text', async () => {
    const { scene: outside, contexts } = scene();
    const result = await outside.process().evaluate({}, UNCANCELLABLE_CONTEXT);

    expect(result).toEqual({ observations: [{ name: 'File', value: 'a' }], output: 'a' });
    expect(contexts.map((context) => [context?.durable, context?.durablePath])).toEqual([[undefined, undefined]]);
    const { scene: inside } = scene();
    await expect(inside.process().evaluateIn(new MemoryRun().open(), {})).resolves.toEqual(result);
  });

  it('EV-45 in a collapsed region nothing of it is recorded, and its steps keep their paths', async () => {
    const { scene: collapsed, contexts } = scene();
    const [run, process] = [new MemoryRun(), collapsed.process()];
    const { ctx } = process;
    await ctx.withZone('region', (zoned) => process.evaluate({}, zoned), durableContext(run.open(), 'steps/apply'));

    expect(run.keys()).toEqual([]);
    expect(contexts.map((context) => context?.durablePath)).toEqual(['steps/apply/content/plan']);
    await process.evaluateIn(new MemoryRun().open(), {});
    expect(contexts).toHaveLength(2);
  });
});
