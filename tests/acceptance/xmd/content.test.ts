import { describe, expect, it } from 'vitest';
import { MemoryRun } from '../../support/memory-handle.ts';
import { startModelServer } from '../../support/model-server/model-server.ts';
import {
  contentDocuments,
  contentWorld,
  FRAGMENT,
  MODEL_IMPORTS,
  planner,
  producing,
  telling,
} from './content-scene.ts';
import { World, type WorldProcess } from './real-kernel.ts';
import { Scene } from './scene.ts';
import { fenced } from './plan-scene.ts';

const PRODUCER = telling('producer', FRAGMENT);
const RESULT = { observations: [{ name: 'File', value: 'a' }], output: 'Look: a\n\n' };
const EFFECTS = [
  'steps/apply/generated_xmd',
  'steps/apply/xmd[0]/File',
  'steps/apply/xmd[1]/Dir',
  'steps/apply/xmd[1]/Dir/xmd[0]/File/before',
  'steps/apply/xmd[1]/Dir/xmd[0]/File',
  'steps/apply/generated_xmd/outcome',
  'steps/apply',
];

/** Everything on record of a run but what its producer did. */
async function recordedBeside(process: WorldProcess, segment: string): Promise<readonly unknown[]> {
  const entries = await process.workflow.journal.readEntries('r');
  return entries
    .filter(({ path }) => !path.includes(segment))
    .map(({ path, kind, value, target }) => ({ path, kind, value, target }));
}

async function ran(world: World) {
  const process = await world.process();
  const end = await process.run('r');
  const records = await recordedBeside(process, '/content/');
  return { end, records, keys: await process.keys('r'), calls: world.calls.map(({ path }) => path) };
}

describe('E1 one fragment, three ways to state it', () => {
  it('E1 direct text, paired content and a paired plan come to the same result, and to the same records beside content', async () => {
    const server = await startModelServer({ kind: 'answer', text: fenced(FRAGMENT.trimEnd()) });
    const text = await ran(
      contentWorld({ evaluate: `text: !literal ${JSON.stringify(FRAGMENT)}\n`, others: PRODUCER }),
    );
    const content = await ran(contentWorld({ evaluate: producing(), others: PRODUCER }));
    const plan = await ran(
      contentWorld(
        {
          evaluate: 'content:\n  - { name: plan, invoke: !ref planner, inputs: { prompt: Copy. } }\n',
          others: planner(server.baseUrl) + PRODUCER,
        },
        { imports: MODEL_IMPORTS },
      ),
    );

    expect(text.end).toMatchObject({ status: 'completed', result: { steps: { apply: { result: RESULT } } } });
    expect([content.end, plan.end]).toEqual([text.end, text.end]);
    expect([content.records, plan.records]).toEqual([text.records, text.records]);
    expect(text.keys).toEqual(['inputs', ...EFFECTS]);
    expect(content.keys).toEqual(['inputs', 'steps/apply/content/plan', ...EFFECTS]);
    expect(plan.keys).toEqual([
      'inputs',
      'steps/apply/content/plan/inputs',
      'steps/apply/content/plan/draft[0]',
      'steps/apply/content/plan',
      ...EFFECTS,
    ]);
    expect([text.calls, content.calls, server.asked.length]).toEqual([[], ['steps/apply/content/plan'], 1]);
  });

  it('E1 one byte changed in what the producer makes, and the records differ', async () => {
    const content = await ran(contentWorld({ evaluate: producing(), others: PRODUCER }));
    const other = await ran(
      contentWorld({ evaluate: producing(), others: telling('producer', FRAGMENT.replace('>B<', '>C<')) }),
    );

    expect(other.keys).toEqual(content.keys);
    expect(other.records).not.toEqual(content.records);
  });

  it.each([
    ['an object with a string text', `answer: { text: !literal ${JSON.stringify(FRAGMENT)}, usage: 3 }`],
    ['a string', `answer: !literal ${JSON.stringify(FRAGMENT)}`],
  ])('E1 a result that is %s is the text', async (_name, answer) => {
    const others = `kind: Shop.Call\nmetadata: { name: producer }\n${answer}\n---\n`;
    const { end } = await ran(contentWorld({ evaluate: producing(), others }));

    expect(end).toMatchObject({ status: 'completed', result: { steps: { apply: { result: RESULT } } } });
  });
});

const ANSWERED = `content:
  - { name: ask, invoke: !ref gate }
  - { name: told, invoke: !ref producer, inputs: { at: !cel steps.ask.result } }
  - { name: text, value: !cel steps.ask.result }
`;
const GATE = 'kind: Durable.Await\nmetadata: { name: gate }\n---\n';

describe('EV-15 a producer in a run', () => {
  it('EV-15 that waits parks the run, goes on in another process with the answer, and is asked once', async () => {
    const world = contentWorld({ evaluate: ANSWERED, others: GATE + PRODUCER });
    const first = await world.process();
    expect(await first.run('r')).toMatchObject({ status: 'parked' });
    expect(await first.keys('r')).toEqual(['inputs', 'steps/apply/content/ask/token']);
    await first.kernel.close();

    const second = await world.process();
    await second.workflow.journal.answer({ run: 'r', path: 'steps/apply/content/ask' }, FRAGMENT);
    expect(await second.workflow.execute('r')).toMatchObject({
      status: 'completed',
      result: { steps: { apply: { result: RESULT } } },
    });
    expect(world.calls).toEqual([{ name: 'producer', inputs: { at: FRAGMENT }, path: 'steps/apply/content/told' }]);
    expect(await second.keys('r')).toEqual([
      'inputs',
      'steps/apply/content/ask/token',
      'steps/apply/content/ask',
      'steps/apply/content/told/inputs',
      'steps/apply/content/told',
      'steps/apply/content/text',
      ...EFFECTS,
    ]);
  });

  it('EV-15 is not asked again by later processes, and an effect that waits goes on with its text', async () => {
    const world = contentWorld({
      evaluate: producing(),
      others: GATE + telling('producer', '<File path="a.md" /><Gate /><File path="b.md">B</File>'),
      operations: "  - { name: Gate, form: self-closing, grant: read, revision: '1', invoke: !ref gate }\n",
    });
    for (let index = 0; index < 3; index += 1) {
      const process = await world.process();
      expect(await (index === 0 ? process.run('r') : process.workflow.execute('r'))).toMatchObject({
        status: 'parked',
      });
      await process.kernel.close();
    }
    const last = await world.process();
    await last.workflow.journal.answer({ run: 'r' }, 'go');

    expect(await last.workflow.execute('r')).toMatchObject({ status: 'completed' });
    expect(world.calls.map(({ path }) => path)).toEqual(['steps/apply/content/plan']);
    expect(world.get('b.md')).toBe('B');
  });

  it('E6 an edited content makes another text: refused, resumable, nothing performed; the old one goes on', async () => {
    const parking = {
      others: GATE + telling('producer', '<Gate /><File path="b.md">B</File>') + telling('other', 'other'),
      operations: "  - { name: Gate, form: self-closing, grant: read, revision: '1', invoke: !ref gate }\n",
    };
    const documents = contentDocuments({ ...parking, evaluate: producing() });
    const world = new World(documents);
    const first = await world.process();
    expect(await first.run('r')).toMatchObject({ status: 'parked' });
    await first.workflow.journal.answer({ run: 'r' }, 'go');
    await first.kernel.close();

    world.write(contentDocuments({ ...parking, evaluate: 'content:\n  - { name: edited, invoke: !ref other }\n' }));
    const stale = await world.process();
    expect(await stale.workflow.execute('r')).toMatchObject({
      status: 'running',
      problem: { code: 'ERR_XMD_TEXT_CHANGED' },
    });
    expect(world.get('b.md')).toBeUndefined();
    expect((await stale.keys('r')).some((path) => path.endsWith('outcome'))).toBe(false);
    await stale.kernel.close();

    world.write(documents);
    const back = await world.process();
    expect(await back.workflow.execute('r')).toMatchObject({ status: 'completed' });
    expect([world.get('b.md'), world.calls.map(({ name }) => name)]).toEqual(['B', ['producer', 'other']]);
  });

  it('EV-15 registers what its steps declare in place, and dispatches it at the path of its step', async () => {
    const evaluate = `content:
  - name: plan
    invoke: { kind: Run.Sequence, steps: [{ name: asked, invoke: !ref producer }], outputs: !cel steps.asked.result }
`;
    const { end, keys, calls } = await ran(contentWorld({ evaluate, others: PRODUCER }));

    expect(end).toMatchObject({ status: 'completed', result: { steps: { apply: { result: RESULT } } } });
    expect(keys).toEqual(['inputs', 'steps/apply/content/plan/asked', 'steps/apply/content/plan', ...EFFECTS]);
    expect(calls).toEqual(['steps/apply/content/plan/asked']);
  });

  it('EV-16 the last result is the one made last, whatever the steps are named', async () => {
    const steps = ['plan', '2', '1', '0', 'constructor', '__proto__'];
    for (let count = 1; count <= steps.length; count += 1) {
      const content = steps.slice(0, count).map((name) => ({ name, value: `made by ${name}` }));
      const process = new Scene({ content }).process();
      const output = `made by ${steps[count - 1] ?? ''}`;
      await expect(process.evaluate({})).resolves.toEqual({ observations: [], output });
      const run = new MemoryRun();
      await process.evaluateIn(run.open(), {});
      await expect(process.evaluateIn(run.open(), {})).resolves.toEqual({ observations: [], output });
    }
  });

  it('EV-16 the last result counts: of the branch that was taken, of the last turn, behind a step that is passed over', async () => {
    const evaluate = `content:
  - name: which
    if: !cel inputs.wide
    then:
      - { name: wide, value: wide }
    else:
      - { name: narrow, value: narrow }
  - name: again
    while: !cel "!has(steps.last) || size(steps.last.result) < 3"
    do:
      - { name: last, value: !cel "has(steps.last) ? steps.last.result + 'x' : 'x'" }
      - name: odd
        if: !cel steps.last.result == 'xx'
        then:
          - { name: never, value: two }
  - { name: skipped, invoke: !ref producer, when: !cel 'false' }
`;
    const steps = '  - { name: apply, invoke: !ref apply, inputs: { inputs: { wide: false } } }\n';
    const { end, calls } = await ran(contentWorld({ evaluate, others: PRODUCER, steps }));

    expect(end).toMatchObject({ status: 'completed', result: { steps: { apply: { result: { output: 'xxx' } } } } });
    expect(calls).toEqual([]);
  });

  it('EV-16 a result that is no text refuses ahead of any admission', async () => {
    const others = 'kind: Shop.Call\nmetadata: { name: producer }\nanswer: { text: 5 }\n---\n';
    const { end, keys, calls } = await ran(contentWorld({ evaluate: producing(), others }));

    expect(end).toMatchObject({ status: 'failed', error: { code: 'ERR_XMD_INPUT' } });
    expect(keys).toEqual(['inputs', 'steps/apply/content/plan']);
    expect(calls).toHaveLength(1);
  });

  it('EV-17 a content with another evaluation in it: each has records of its own', async () => {
    const others = `kind: Xmd.Evaluate
metadata: { name: look }
profile: !ref profile
text: !literal 'seen <File path="a.md" />'
---
`;
    const evaluate = `content:
  - { name: look, invoke: !ref look }
  - { name: text, value: !cel steps.look.result.output + '!' }
`;
    const { end, keys } = await ran(contentWorld({ evaluate, others, allow: '[write]' }));

    expect(end).toMatchObject({ status: 'completed', result: { steps: { apply: { result: { output: 'seen a!' } } } } });
    expect(keys).toEqual([
      'inputs',
      'steps/apply/content/look/generated_xmd',
      'steps/apply/content/look/xmd[0]/File',
      'steps/apply/content/look/generated_xmd/outcome',
      'steps/apply/content/look',
      'steps/apply/content/text',
      'steps/apply/generated_xmd',
      'steps/apply/generated_xmd/outcome',
      'steps/apply',
    ]);
  });
});
