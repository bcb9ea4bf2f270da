import type { InvokeContext } from '@telorun/sdk';
import { describe, expect, it } from 'vitest';
import { Syntax } from '../../../controllers/xmd/index.ts';
import { durableContext, resource } from '../../support/fake-context.ts';
import { MemoryRun } from '../../support/memory-handle.ts';
import { startModelServer } from '../../support/model-server/model-server.ts';
import { APPLY, contentWorld, MODEL_IMPORTS, planner } from './content-scene.ts';
import { fenced } from './plan-scene.ts';
import type { World } from './real-kernel.ts';
import { Scene } from './scene.ts';

const READ = ['File self-closing'];
const WRITE = ['File paired', 'File.Delete self-closing', 'Dir paired'];

/** A reference, and the resources that ask it at some distance. */
const REFERENCES = `kind: Xmd.Syntax
metadata: { name: syntax }
profile: !ref profile
allow: [read, write]
---
kind: Xmd.Syntax
metadata: { name: narrow }
profile: !ref profile
---
kind: Xmd.Syntax
metadata: { name: unnamed }
allow: [read, write]
---
kind: Run.Sequence
metadata: { name: far }
steps:
  - { name: asked, invoke: !ref nearer }
outputs: !cel steps.asked.result
---
kind: Run.Sequence
metadata: { name: nearer }
steps:
  - { name: asked, invoke: !ref syntax }
outputs: !cel steps.asked.result
---
`;

/** What a reference lists, as one text. */
const NAMED = "symbols.map(one, one.name + ' ' + one.forms[0]).join('; ')";

/** Makes a text that says which elements the reference lists. */
function saying(asked: string, before = ''): string {
  return `content:
${before}  - { name: syntax, invoke: !ref ${asked} }
  - { name: text, value: !cel "steps.syntax.result.${NAMED}" }
`;
}

async function outputs(world: World, inputs: unknown = {}): Promise<unknown> {
  const process = await world.process();
  const end = await process.run('r', inputs);
  expect(end).toMatchObject({ status: 'completed' });
  return Object(end).result.steps;
}

describe('E5 the syntax inside content', () => {
  it.each([
    ['syntax', '[read]', READ],
    ['syntax', '[write]', WRITE],
    ['narrow', '[read, write]', [...READ, ...WRITE]],
    ['far', '[read]', READ],
  ])(
    'E5 PL-43 %s under allow %s lists exactly what is admitted here, whatever it states itself',
    async (asked, allow, listed) => {
      const steps = `${APPLY}  - { name: outside, invoke: !ref ${asked} }\n`;
      const world = contentWorld({ evaluate: saying(asked), allow, others: REFERENCES, steps });
      const { apply, outside } = Object(await outputs(world));

      expect(apply.result.output.split('; ').toSorted()).toEqual(listed.toSorted());
      const own = asked === 'narrow' ? READ : [...READ, ...WRITE];
      expect(
        outside.result.symbols
          .map((one: { name: string; forms: string[] }) => `${one.name} ${one.forms[0]}`)
          .toSorted(),
      ).toEqual(own.toSorted());
    },
  );

  it('E5 PL-43 by name documents what the wider reference has, and says that it is not available here', async () => {
    const evaluate = `content:
  - { name: syntax, invoke: !ref syntax, inputs: { names: [Dir, File] } }
  - { name: text, value: done }
`;
    const process = await contentWorld({ evaluate, allow: '[read]', others: REFERENCES }).process();
    expect(await process.run('r')).toMatchObject({ status: 'completed' });
    const { markdown } = Object(await process.value('r', 'steps/apply/content/syntax'));

    expect(markdown).toMatch(/### Dir, paired \(write\)[^#]*\nNot available here\./);
    expect(markdown).toMatch(/### File, self-closing \(read\)[^#]*\nAvailable here\./);
  });

  it.each([
    ['[read, write]', '[read]', READ],
    ['[read]', '[read, write]', undefined],
  ])('E5 PL-43 under allow %s an allow of the call narrows to %s, and never widens', async (allow, asked, listed) => {
    const evaluate = saying('syntax').replace('!ref syntax }', `!ref syntax, inputs: { allow: ${asked} } }`);
    const world = contentWorld({ evaluate, allow, others: REFERENCES });
    const process = await world.process();
    const end = Object(await process.run('r'));

    expect(end.error?.code).toBe(listed === undefined ? 'ERR_XMD_INPUT' : undefined);
    expect(end.result?.steps.apply.result.output).toBe(listed?.join('; '));
    await process.kernel.close();
  });

  it('E5 PL-43 three at once on one resource: each sees its own, while all of them are under way', async () => {
    const files = { 'meet/telo.yaml': MEET, 'meet/meet.mjs': MEET_CODE };
    const fan = `kind: Run.Iteration
metadata: { name: each }
collection: [[read], [write], [read, write]]
concurrency: 3
steps:
  - { name: apply, invoke: !ref apply, inputs: { allow: !cel item } }
---
kind: Meet.Three
metadata: { name: three }
---
`;
    const before = '  - { name: met, invoke: !ref three }\n';
    const evaluate = saying('far', before).replace(
      '  - { name: text,',
      '  - { name: left, invoke: !ref three }\n  - { name: text,',
    );
    const world = contentWorld(
      { evaluate, others: REFERENCES + fan, steps: '  - { name: each, invoke: !ref each }\n' },
      { files, imports: '  Meet: ./meet\n' },
    );
    const process = await world.process();
    expect(await process.run('r')).toMatchObject({ status: 'completed' });

    const seen = [0, 1, 2].map((n) => process.value('r', `steps/each/iterate[${n}]/apply/content/text`));
    const named = (await Promise.all(seen)).map((text) => String(text).split('; ').toSorted());
    expect(named).toEqual([READ, WRITE.toSorted(), [...READ, ...WRITE].toSorted()]);
  });

  it.each([
    ['an operation of the fragment', "text: !literal '<Ask />'\n"],
    ['an operation of a fragment that content made', "content:\n  - { name: text, value: '<Ask />' }\n"],
  ])('E5 PL-43 %s that asks a reference is outside of content', async (_name, evaluate) => {
    const operations = `  - name: Ask
    form: self-closing
    grant: read
    revision: '1'
    invoke: !ref unnamed
    result: !cel "result.${NAMED}"
`;
    const { apply } = Object(
      await outputs(contentWorld({ evaluate, allow: '[read]', others: REFERENCES, operations })),
    );

    expect(apply.result.observations[0].value.split('; ').toSorted()).toEqual(
      ['Ask self-closing', ...READ, ...WRITE].toSorted(),
    );
  });

  it('E5 PL-43 a workflow started inside begins without zones, and so sees its own', async () => {
    const inner = `---
kind: DurableLocal.Workflow
metadata: { name: inner }
journal: !ref runs
runId: inner
steps:
  - { name: syntax, invoke: !ref syntax }
`;
    const evaluate = `content:
  - { name: inner, invoke: !ref inner }
  - { name: syntax, invoke: !ref syntax }
  - { name: text, value: done }
`;
    const world = contentWorld({ evaluate, allow: '[read]', others: REFERENCES, steps: APPLY + inner });
    const process = await world.process();
    await process.run('r');
    await process.kernel.idle();
    const listed = async (run: string, path: string): Promise<string[]> =>
      Object(await process.value(run, path)).symbols.map(({ name }: { name: string }) => name);

    expect(await listed('r', 'steps/apply/content/syntax')).toEqual(['File']);
    expect(await listed('inner', 'steps/syntax')).toEqual(['File', 'File', 'Dir', 'File.Delete']);
  });

  it('E5 PL-43 what keeps its context beyond the end of content sees its own again', async () => {
    const kept: InvokeContext[] = [];
    const listed: string[][] = [];
    const scene = new Scene({
      content: [{ name: 'plan', invoke: { kind: 'T.K', name: 'producer' } }],
      targets: {
        producer: resource('T.K', 'producer', async (_inputs, context) => {
          if (context !== undefined) kept.push(context);
          listed.push(await asked(context));
          return 'nothing';
        }),
      },
    });
    const process = scene.process();
    const syntax = Syntax.create({ kind: 'Xmd.Syntax', metadata: { name: 's' }, allow: ['write'] }, process.ctx);
    const asked = async (context?: InvokeContext): Promise<string[]> =>
      (await syntax.invoke({}, context)).symbols.map(({ name, forms }) => `${name} ${forms[0]}`);

    await process.evaluate({}, durableContext(new MemoryRun().open(), 'steps/apply'));
    expect(listed).toEqual([READ]);
    expect((await asked(kept[0])).toSorted()).toEqual(WRITE.toSorted());
  });
});

const WIDE = '<File path="b.md">B</File>';
const NARROW = '<File path="a.md" />';

describe('E5 a planner', () => {
  it('E5 PL-43 inside content is told the narrowed table, outside that of its site, whose too wide text is refused later', async () => {
    const server = await startModelServer();
    server.answerWith(({ body }) => fenced(JSON.stringify(body).includes('### Dir') ? WIDE : NARROW));
    const others = `${planner(server.baseUrl)}kind: Xmd.Evaluate
metadata: { name: plain }
profile: !ref profile
---
`;
    const steps = `  - { name: outside, invoke: !ref planner, inputs: { prompt: Do it. } }
${APPLY}  - name: late
    try:
      - { name: wide, invoke: !ref plain, inputs: { text: !cel steps.outside.result } }
    catch:
      - { name: why, value: !cel error.data.class }
`;
    const evaluate = 'content:\n  - { name: plan, invoke: !ref planner, inputs: { prompt: Do it. } }\n';
    const world = contentWorld({ evaluate, allow: '[read]', others, steps }, { imports: MODEL_IMPORTS });
    const { outside, apply, why } = Object(await outputs(world));

    expect([outside.result, apply.result.output, why.result]).toEqual([`${WIDE}\n`, 'a\n', 'content']);
    expect([world.get('b.md'), server.asked.length]).toEqual([undefined, 2]);
  });

  it('E5 PL-43 inside content is judged by the narrowed table, too, and never told of more', async () => {
    const server = await startModelServer();
    server.answerWith((_asked, index) => fenced(index === 0 ? WIDE : NARROW));
    const others = planner(server.baseUrl, 'allow: [read, write]\nrepair: { attempts: 1 }');
    const evaluate = 'content:\n  - { name: plan, invoke: !ref planner, inputs: { prompt: Do it. } }\n';
    const world = contentWorld({ evaluate, allow: '[read]', others }, { imports: MODEL_IMPORTS });
    const { apply } = Object(await outputs(world));

    const told = server.asked.map(({ body }) => JSON.stringify(body));
    expect([apply.result.output, told.length, world.get('b.md')]).toEqual(['a\n', 2, undefined]);
    expect(told[1]).toContain('Admitted are exactly: File self-closing.');
    expect(told.filter((one) => one.includes('### Dir'))).toEqual([]);
  });
});

/** A kind whose calls go on when three of them are there. */
const MEET = `kind: Telo.Library
metadata: { name: Meet, version: 0.1.0 }
exports: { kinds: [Three] }
---
kind: Telo.Definition
metadata: { name: Three, description: Waits for two others. }
capability: Telo.Invocable
controllers: [ "pkg:telo/local/js?path=./meet.mjs#Three" ]
schema: { type: object }
`;
const MEET_CODE = `let waiting = [];
export const Three = {
  create: () => ({
    invoke: () => new Promise((done) => {
      waiting.push(done);
      if (waiting.length < 3) return;
      for (const one of waiting) one(null);
      waiting = [];
    }),
  }),
};
`;
