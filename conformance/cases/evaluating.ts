import type { CaseDefinition } from '../case.ts';
import { equal, matches, refuses } from '../expect.ts';
import type { Changes } from '../host/workspace.ts';
import { APPLY, Workspace } from '../host/workspace.ts';
import type { Body, Stage } from '../stage.ts';

const LATER = 'steps/wait';
const READ = 'Before <File path="notes.md" />, <Ask of="a" /> after\n';
const WRITE = '<Dir path="out"><File path="a.md">A</File></Dir><File.Delete path="draft.md" />';
const BEFORE_WAIT = '<Ask of="a" /><Wait /><File path="late.md">L</File>';
const EMPTY: readonly string[] = ['', 'only prose\n', ' \t\r\n', '```\n<File path="a" />\n```\n', 'a `<File />` b'];

/** Four ways in which policy moves. */
const MOVES: readonly (readonly [string, Changes])[] = [
  ['allow', { allow: ['read'] }],
  ['identity', { ask: 'another' }],
  ['limit', { limits: { elements: 7 } }],
  ['root', { root: './elsewhere' }],
];

async function within(
  files: Readonly<Record<string, string>>,
  work: (space: Workspace) => Promise<void>,
): Promise<void> {
  const space = new Workspace(files);
  try {
    await work(space);
  } finally {
    space.dispose();
  }
}

/** A workflow: one evaluation, then a wait. */
function thenWaits(space: Workspace, text: string): Body {
  return async (acting) => ({ applied: await space.step(text, acting), answer: await acting.wait(LATER) });
}

/** R: Evaluate on top of the handle. */
export const evaluating: readonly CaseDefinition[] = [
  {
    id: 'R1-read',
    title: 'resumes past a later wait with the recorded read, though the file has changed',
    needs: ['delivery'],
    run: (stage) =>
      within({ 'notes.md': 'one' }, async (space) => {
        const body = thenWaits(space, READ);
        equal((await stage.execute(body)).status, 'parked', 'the run before the answer');
        space.put('notes.md', 'two');
        await stage.deliver(LATER, 'yes');
        const observations = [
          { name: 'File', value: 'one' },
          { name: 'Ask', value: 'answer to a' },
        ];
        const applied = { observations, output: 'Before one, answer to a after\n' };
        matches(await stage.execute(body), { status: 'completed', result: { applied, answer: 'yes' } }, 'the run');
        equal(space.asked, ['a'], 'calls of the operation');
      }),
  },
  {
    id: 'R1-inside',
    title: 'parks inside a fragment, and the answer is the value of that effect',
    needs: ['delivery'],
    run: (stage) =>
      within({}, async (space) => {
        const body: Body = (acting) => space.step(BEFORE_WAIT, acting);
        equal((await stage.execute(body)).status, 'parked', 'the run before the answer');
        equal(space.get('late.md'), undefined, 'what stands behind the wait');
        equal(await stage.deliver(`${APPLY}/xmd[1]/Wait`, 'yes'), true, 'whether the answer was taken at the effect');
        const observations = [
          { name: 'Ask', value: 'answer to a' },
          { name: 'Wait', value: 'yes' },
        ];
        const ended = await stage.execute(body);
        matches(ended, { status: 'completed', result: { observations, output: 'answer to ayes' } }, 'the run');
        equal([space.asked, space.get('late.md')], [['a'], 'L'], 'calls before the wait, and the file behind it');
      }),
  },
  {
    id: 'R2-write',
    title: 'does not write again what is on record, though someone edited it and put back what was removed',
    needs: ['delivery'],
    run: (stage) =>
      within({ 'draft.md': 'D' }, async (space) => {
        const body = thenWaits(space, WRITE);
        await stage.execute(body);
        equal([space.get('out/a.md'), space.get('draft.md')], ['A', undefined], 'files after the first process');
        space.put('out/a.md', 'edited');
        space.put('draft.md', 'again');
        await stage.deliver(LATER, 'yes');
        matches(await stage.execute(body), { status: 'completed' }, 'the run');
        equal([space.get('out/a.md'), space.get('draft.md')], ['edited', 'again'], 'files after the second');
      }),
  },
  {
    id: 'R3-order',
    title:
      'records admission, each effect behind what is known before it, outcome, the step, what follows; a resume adds no more',
    needs: ['entries', 'delivery'],
    run: (stage) =>
      within({ 'draft.md': 'D' }, async (space) => {
        const body = thenWaits(space, `<Ask of="a" />${WRITE}`);
        await stage.execute(body);
        const expected = [
          `${APPLY}/generated_xmd`,
          `${APPLY}/xmd[0]/Ask/begun`,
          `${APPLY}/xmd[0]/Ask`,
          `${APPLY}/xmd[1]/Dir`,
          `${APPLY}/xmd[1]/Dir/xmd[0]/File/before`,
          `${APPLY}/xmd[1]/Dir/xmd[0]/File`,
          `${APPLY}/xmd[2]/File.Delete/before`,
          `${APPLY}/xmd[2]/File.Delete`,
          `${APPLY}/generated_xmd/outcome`,
          APPLY,
        ];
        equal(await stage.keys(), expected, 'paths on record when the run parked');
        await stage.deliver(LATER, 'yes');
        await stage.execute(body);
        equal(await stage.keys(), [...expected, LATER], 'paths on record at the end');
      }),
  },
  {
    id: 'R4-killed',
    title: 'calls each completed effect once, killed behind any of them',
    needs: [],
    run: async (stage) => {
      for (const at of [0, 1, 2, 3]) {
        await within({}, async (space) => {
          const run = `conformance:killed-${at}`;
          const asks = [0, 1, 2].map((index) => `<Ask of="${index}" />`);
          const text = [...asks.slice(0, at), '<Hold />', ...asks.slice(at)].join('');
          await stage.killed((acting) => space.step(text, acting), run);
          equal(space.asked.length, at, `calls of the first process, killed behind effect ${at}`);
          matches(await stage.execute((acting) => space.step(text, acting), run), { status: 'completed' }, 'the run');
          equal(space.asked, ['0', '1', '2'], `calls of both processes, killed behind effect ${at}`);
        });
      }
    },
  },
  {
    id: 'R5-policy',
    title: 'refuses a changed policy before anything is performed; the same one goes on',
    needs: ['delivery'],
    run: (stage) =>
      within({}, async (space) => {
        await stage.execute((acting) => space.step(BEFORE_WAIT, acting));
        await stage.deliver(`${APPLY}/xmd[1]/Wait`, 'yes');
        await stage.killed(async (acting) => {
          await refuses(
            () => space.evaluate(BEFORE_WAIT, acting, { revision: '2' }),
            'ERR_XMD_POLICY_CHANGED',
            'an operation of another revision',
          );
          await acting.pause();
        });
        equal([space.asked, space.get('late.md')], [['a'], undefined], 'calls and files after the refusal');
        matches(
          await stage.execute((acting) => space.step(BEFORE_WAIT, acting)),
          { status: 'completed' },
          'the same policy',
        );
        equal([space.asked, space.get('late.md')], [['a'], 'L'], 'calls and files at the end');
      }),
  },
  {
    id: 'R6-empty',
    title: 'admits a fragment without effects, answers its text, and goes on from it',
    needs: [],
    run: (stage) =>
      within({}, async (space) => {
        for (const [index, text] of EMPTY.entries()) {
          const run = `conformance:empty-${index}`;
          const body: Body = async (acting) => {
            const applied = await space.step(text, acting);
            await acting.pause();
            return applied;
          };
          await stage.killed(body, run);
          const ended = await stage.execute(body, run);
          matches(ended, { status: 'completed', result: { observations: [], output: text } }, JSON.stringify(text));
        }
      }),
  },
  {
    id: 'R7-replay',
    title: 'performs no second request in a partial replay, and enters no evaluation whose step is on record',
    needs: [],
    run: (stage) => replays(stage),
  },
  {
    id: 'R8-moved',
    title: 'writes nothing when allow, an identity, a limit or the root has moved; the unmoved one goes on',
    needs: ['entries'],
    run: async (stage) => {
      const text = '<Ask of="a" /><Hold /><File path="late.md">L</File>';
      await within({}, async (space) => {
        await stage.killed((acting) => space.step(text, acting));
        const recorded = await stage.entries();
        for (const [name, changes] of MOVES) {
          await stage.killed(async (acting) => {
            await refuses(() => space.evaluate(text, acting, changes), 'ERR_XMD_POLICY_CHANGED', `a changed ${name}`);
            await acting.pause();
          });
          equal(await stage.entries(), recorded, `entries after a changed ${name}`);
        }
        equal([space.asked, space.get('late.md')], [['a'], undefined], 'calls and files after four refusals');
        matches(
          await stage.execute((acting) => space.step(text, acting)),
          { status: 'completed' },
          'the unmoved policy',
        );
        equal([space.asked, space.get('late.md')], [['a'], 'L'], 'calls and files at the end');
      });
    },
  },
];

async function replays(stage: Stage): Promise<void> {
  const text = '<Ask of="a" /><Hold /><Ask of="b" />';
  await within({}, async (space) => {
    let entered = 0;
    const body: Body = async (acting) => {
      const applied = await acting.handle.step(APPLY, undefined, {}, () => {
        entered += 1;
        return space.evaluate(text, acting);
      });
      await acting.pause();
      return applied;
    };
    await stage.killed(body);
    equal(space.asked, ['a'], 'calls of the process that was killed in the middle');
    const held: Body = (acting) => body({ ...acting, pause: async () => undefined });
    const pausedBehind: Body = async (acting) => {
      await held(acting);
      await acting.pause();
    };
    await stage.killed(pausedBehind);
    equal([space.asked, entered], [['a', 'b'], 2], 'calls and entries when the evaluation had completed');
    const ended = await stage.execute(body);
    const observations = [
      { name: 'Ask', value: 'answer to a' },
      { name: 'Hold', value: null },
      { name: 'Ask', value: 'answer to b' },
    ];
    matches(ended, { status: 'completed', result: { observations, output: 'answer to aanswer to b' } }, 'the run');
    equal([space.asked, entered], [['a', 'b'], 2], 'calls and entries at the end');
  });
}
