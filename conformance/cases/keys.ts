import type { ResourceInstance } from '@telorun/sdk';
import { bodyPath, InvokeError, repeatPath, StepEngine } from '@telorun/sdk';
import type { CaseDefinition } from '../case.ts';
import { equal, matches } from '../expect.ts';
import { GOLDEN } from '../golden.ts';
import type { RecordingContext } from '../host/resource-context.ts';
import { resource } from '../host/resource-context.ts';
import { hostIn, runProgram } from '../host/program.ts';
import type { Acting, Body } from '../stage.ts';

type Scope = Readonly<Record<string, Readonly<Record<string, { readonly result: unknown }>>>>;

/** Every form of a step once, with names that mean something in paths. Functions stand for expressions. */
const PROGRAM = [
  { name: 'settings', value: { fixed: 'one' } },
  { name: 'skipped', when: () => false, invoke: { kind: 'Test.Echo', name: 'echo' } },
  {
    name: 'read',
    when: () => true,
    invoke: { kind: 'Test.Echo', name: 'echo' },
    inputs: { of: ({ steps }: Scope) => steps?.['settings']?.result },
  },
  // oxlint-disable-next-line unicorn/no-thenable -- the word of an if step
  { name: 'choose', if: () => 1, then: [{ name: 'inputs', invoke: { kind: 'Test.Echo', name: 'echo' } }], else: [] },
  { name: 'route', switch: () => 'a/b', cases: { 'a/b': [{ name: 'x[1]', value: null }] }, default: [] },
  {
    name: 'poll',
    while: ({ steps }: Scope) => !steps?.['turn']?.result,
    do: [{ name: 'turn', invoke: { kind: 'Test.Turn', name: 'turn' } }],
  },
  {
    name: 'risky',
    try: [{ name: 'fail', throw: { code: 'ERR_TEST', message: 'as stated', data: { n: 1 } } }],
    catch: [{ name: 'note', invoke: { kind: 'Test.Echo', name: 'echo' }, inputs: { code: 'ERR_TEST' } }],
    finally: [{ name: 'clean', value: 'cleaned' }],
  },
  {
    name: 'flaky',
    invoke: { kind: 'Test.Flaky', name: 'flaky' },
    retry: { attempts: 2, initialDelay: 1, factor: 1, jitter: 'none' },
  },
  { name: 'nested', invoke: { kind: 'Test.Nested', name: 'nested' } },
  { name: 'each', invoke: { kind: 'Test.Each', name: 'each' } },
];

const INNER = [
  { name: 'retry', invoke: { kind: 'Test.Echo', name: 'echo' }, inputs: { inner: true } },
  { name: 'last', value: 'inner' },
];

/** A resource with a body of its own, repeated for each element where there are any. */
function body(name: string, kind: string, host: () => RecordingContext, elements?: number): ResourceInstance {
  return resource(kind, name, async (_inputs, context) => {
    const engine = new StepEngine(host(), { kind, resourceName: name });
    const turns =
      elements === undefined
        ? [bodyPath(context)]
        : Array.from({ length: elements }, (_, index) => repeatPath(bodyPath(context), index));
    for (const path of turns) await engine.executeSteps(INNER, {}, undefined, {}, context, path);
    return { turns: turns.length };
  });
}

/** Executes the program, counting what is performed. */
async function runGolden(acting: Acting, calls: string[]): Promise<unknown> {
  let turns = 0;
  let failures = 0;
  let nowMs = 1_000;
  const resources: Record<string, ResourceInstance> = {
    echo: resource('Test.Echo', 'echo', (inputs, context) => {
      calls.push(`echo ${context?.durablePath ?? ''}`);
      return { echoed: inputs };
    }),
    turn: resource('Test.Turn', 'turn', () => {
      calls.push('turn');
      turns += 1;
      return turns === 2;
    }),
    flaky: resource('Test.Flaky', 'flaky', () => {
      calls.push('flaky');
      failures += 1;
      if (failures === 1) throw new InvokeError('ERR_TEST_FLAKY', 'once');
      return 'second';
    }),
    nested: body('nested', 'Test.Nested', () => host),
    each: body('each', 'Test.Each', () => host, 2),
  };
  const host: RecordingContext = hostIn(acting, { resources });
  // Each reading of the clock is later, so that instants on record are the same in every run and no pause lasts.
  const clock = { now: () => (nowMs += 10), random: () => 0.5 };
  return runProgram(PROGRAM, acting, { host, clock });
}

/** S7: paths. */
export const keys: readonly CaseDefinition[] = [
  {
    id: 'S7-golden',
    title: 'writes exactly the entries of the golden journal for its program',
    needs: ['entries', 'recorded'],
    run: async (stage) => {
      const ended = await stage.execute((acting) => runGolden(acting, []));
      equal(ended.status, 'completed', 'how the program ended');
      const entries = (await stage.entries()).filter(({ path }) => path !== 'inputs');
      equal(entries, GOLDEN, 'entries of the golden program');
    },
  },
  {
    id: 'S7-resumes',
    title: 'goes on from a golden journal without performing anything that is on record',
    needs: ['recorded'],
    run: async (stage) => {
      const calls: string[] = [];
      const recording: Body = async ({ handle, pause }) => {
        for (const { path, kind, decision = 'value', target, value } of GOLDEN) {
          if (kind === 'step') await handle.step(path, target, {}, async () => value);
          else await handle.decide(path, decision, () => value);
        }
        await pause();
      };
      await stage.killed(recording);
      const ended = await stage.execute((acting) => runGolden(acting, calls));
      equal(calls, [], 'what was performed although it is on record');
      matches(ended, { status: 'completed' }, 'the program over a golden journal');
      const fresh = await stage.execute((acting) => runGolden(acting, []), 'conformance:fresh');
      equal(ended.result, fresh.result, 'the result of a replay, and that of a fresh run');
    },
  },
  {
    id: 'S7-exact',
    title: 'takes every path as it is written: none is another, however alike',
    needs: [],
    run: async (stage) => {
      const paths = [
        'steps/a',
        'steps/A',
        'steps/a ',
        'steps/a/',
        'steps//a',
        'steps/a%2Fb',
        'steps/a/b',
        'steps/a[1]',
        'steps/a[01]',
        'steps/a%5B1%5D',
        'steps/é',
        'steps/e\u0301',
        'steps/_inputs',
        'steps/inputs',
        `steps/${'deep/'.repeat(60)}end`,
      ];
      await stage.killed(async ({ handle, pause }) => {
        for (const path of paths) await handle.step(path, undefined, {}, async () => path);
        await pause();
      });
      const ended = await stage.execute(async ({ handle }) => {
        const answers: unknown[] = [];
        for (const path of paths) answers.push(await handle.step(path, undefined, {}, async () => 'again'));
        return answers;
      });
      matches(ended, { status: 'completed', result: paths }, 'each path answers its own record');
    },
  },
];
