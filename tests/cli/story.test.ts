import type { JournalEntry, RunRecord, WaitRecord } from '@telorun/sdk/journal';
import { describe, expect, it } from 'vitest';
import { outlineOf } from '../../kernel/cli/outline.ts';
import { paint } from '../../kernel/cli/paint.ts';
import { storyLines } from '../../kernel/cli/story.ts';
import { summaryOf } from '../../kernel/cli/summary.ts';

const plain = paint({ isTTY: false }, {});

function step(path: string, value: unknown = null): JournalEntry {
  return { path, kind: 'step', value };
}

function decision(path: string, value: unknown): JournalEntry {
  return { path, kind: 'decision', decision: 'value', value };
}

interface Told {
  readonly status?: RunRecord['status'];
  readonly entries: readonly JournalEntry[];
  readonly waits?: readonly WaitRecord[];
  readonly failed?: boolean;
  readonly path?: string;
}

function treeOf({ status = 'running', entries, waits = [], failed = false, path }: Told): readonly string[] {
  const lines = storyLines(
    { record: { run: 'r', status }, entries, waits, outline: new Map() },
    { paint: plain, journal: undefined, filter: { failed, path }, now: 0 },
  );
  return lines.slice(1, lines.indexOf(''));
}

describe('the story of a run', () => {
  it('shows a step that has begun and has no record as the parent of what it did', () => {
    const entries = [
      decision('inputs', {}),
      decision('steps/apply/inputs', { text: 'secret' }),
      decision('steps/apply/generated_xmd', { decision: 'admitted', named: [0, 1], policy: { allow: ['read'] } }),
      step('steps/apply/xmd[0]/File', 'contents'),
      decision('steps/apply/xmd[1]/File/before', { absent: true }),
    ];
    const tree = [
      '  … apply  begun, no record yet',
      '    · admitted  2 elements, allow read',
      '    ✓ File  read, 8 B',
      '    … File  begun, no record yet',
    ];
    expect(treeOf({ entries })).toEqual(tree);
    expect(treeOf({ entries, status: 'failed' })).toEqual([
      '  ✗ apply',
      '    · admitted  2 elements, allow read',
      '    ✓ File  read, 8 B',
      '    ✗ File',
    ]);
  });

  it('shows what waits, below the steps that lead there', () => {
    const wait: WaitRecord = {
      run: 'r',
      path: 'steps/apply/xmd[1]/Approve',
      resource: 'Durable.Await/ok',
      state: 'open',
      since: 0,
      token: 'not-to-be-shown',
    };
    const entries = [decision('steps/apply/generated_xmd', {}), decision(`${wait.path}/token`, 'not-to-be-shown')];
    expect(treeOf({ entries, waits: [wait], status: 'parked' })).toEqual([
      '  … apply  begun, no record yet',
      '    · admitted',
      '    ⏸ Approve  waits for an answer  Durable.Await/ok',
    ]);
  });

  it('folds control flow into the step that it belongs to', () => {
    const entries = [
      decision('steps/choose/switch', 'b'),
      step('steps/choose/cases/b/inner', 1),
      decision('steps/ask/if', false),
      step('steps/ask/else/inner', 2),
      decision('steps/turns/while[0]', true),
      step('steps/turns/do[0]/inner', 3),
      decision('steps/turns/while[1]', false),
      decision('steps/off/when', false),
      decision('steps/guard/catch', { code: 'ERR_X', message: '' }),
      decision('steps/kept', 7),
    ];
    expect(treeOf({ entries, status: 'completed' })).toEqual([
      '  ▸ choose  takes "b"',
      '    ✓ inner  1',
      '  ▸ ask  takes else',
      '    ✓ inner  2',
      '  ▸ turns  1 turn',
      '    ✓ do[0] / inner  3',
      '  – off  skipped',
      '  ▸ guard',
      '    · caught  ERR_X',
      '  · kept  7',
    ]);
  });

  it('names the effect that failed, and keeps it when a later attempt succeeds', () => {
    const failure = {
      outcome: 'failed',
      effect: 'steps/a/xmd[0]/File',
      code: 'ERR_XMD_EFFECT',
      message: 'no',
      data: null,
    };
    const entries = [
      decision('steps/a/generated_xmd', {}),
      step('steps/a/generated_xmd/outcome', failure),
      decision('steps/a/retry[0]', 0),
    ];
    const failed = ['    ✗ File  ERR_XMD_EFFECT: no', '    ✗ attempt 1 failed  next at 1970-01-01T00:00:00Z'];
    expect(treeOf({ entries }).slice(2)).toEqual(failed);
    expect(treeOf({ entries: [...entries, step('steps/a/xmd[0]/File', 'x')] }).slice(2)).toEqual([
      '    ✓ File  read, 1 B',
      failed[1],
    ]);
  });

  it('shows one subtree, or what failed, and says how much it leaves out', () => {
    const entries = [
      step('steps/a', 1),
      step('steps/b/xmd[0]/File', 'x'),
      step('steps/b/xmd[1]/File', 'y'),
      step('steps/b/generated_xmd/outcome', {
        outcome: 'failed',
        effect: 'steps/b/xmd[2]/File',
        code: 'E',
        message: 'm',
      }),
    ];
    expect(treeOf({ entries, path: 'steps/a' })).toEqual(['  ✓ a  1']);
    expect(treeOf({ entries, path: 'steps/b/xmd[1]' })).toEqual(['  ▸ b  2 lines not shown', '    ✓ File  read, 1 B']);
    expect(treeOf({ entries, status: 'failed', failed: true })).toEqual([
      '  ▸ b  2 lines not shown',
      '    ✗ File  E: m',
    ]);
  });

  it('measures values instead of printing them', () => {
    expect(summaryOf({ observations: [{ name: 'File', value: 'x' }], output: 'y'.repeat(1_234) })).toBe(
      '1 observation, 1.2 KB output',
    );
    expect(summaryOf('first line\nsecond')).toBe('first line (17 B)');
    expect(summaryOf('word')).toBe('"word"');
    expect(summaryOf(Array.from({ length: 100 }, () => 'item'))).toBe('100 items');
    expect(summaryOf(12n)).toBe('12');
    expect(summaryOf(null)).toBe('');
  });

  it('tells what a model answered and what became of it, and never the answer', () => {
    const draft = (path: string, finishReason = 'stop'): JournalEntry =>
      step(path, { text: 'secret \u001b[2J', finishReason, usage: { totalTokens: 12 } });
    const plan = [draft('steps/plan/draft[0]'), draft('steps/plan/draft[1]', 'length\u001b')];

    expect(treeOf({ entries: [...plan, step('steps/plan', 'text')] })).toEqual([
      '  ✓ plan  "text"',
      '    ✓ draft[0]  answered 11 B, 12 tokens, not accepted',
      '    ✓ draft[1]  answered 11 B, 12 tokens, ended by length\\u001b, accepted',
    ]);
    expect(treeOf({ entries: [decision('steps/plan/inputs', {}), ...plan] })).toEqual([
      '  … plan  begun, no record yet',
      '    ✓ draft[0]  answered 11 B, 12 tokens, not accepted',
      '    ✓ draft[1]  answered 11 B, 12 tokens, ended by length\\u001b',
    ]);
    const again = [draft('steps/plan/occurrence[1]/draft[0]'), step('steps/plan', 'text')];
    expect(
      treeOf({ entries: [draft('steps/plan/draft[0]'), ...again] }).map((line) => line.split(', ').at(-1)),
    ).toEqual(['  ✓ plan  "text"', 'accepted', 'accepted']);
    expect(treeOf({ entries: [step('steps/draft[0]', { text: 1 })] })).toEqual(['  ✓ draft[0]  {"text":1}']);
  });

  it('tells a preflight by its effects, and whether an approval held', () => {
    expect(summaryOf({ version: 2, admitted: true, effects: [{}, {}], rendering: 'secret' })).toBe(
      'would perform 2 effects',
    );
    const approval = (value: object): JournalEntry =>
      decision('steps/a/generated_xmd/approval', { version: 1, ...value });
    expect(treeOf({ entries: [approval({ decision: 'approved', targets: [{ path: 'secret' }] })] })).toEqual([
      '  ▸ a',
      '    · as approved',
    ]);
    expect(treeOf({ entries: [approval({ decision: 'refused', reason: 'target-moved' })] })).toEqual([
      '  ▸ a',
      '    ✗ not as approved  target-moved',
    ]);
  });

  it('tells an altered admission without its elements', async () => {
    const altered = decision('steps/a/generated_xmd', { version: 2, reader: 1, decision: 'admitted', text: 7 });
    expect(await outlineOf([altered])).toEqual(new Map());
  });

  it('tells ten thousand effects, each once, without recursion', () => {
    const count = 10_000;
    const effects = Array.from({ length: count }, (_, index) => step(`steps/a/xmd[${index}]/File`, 'x'));
    expect(treeOf({ entries: effects })).toHaveLength(count + 1);
    const deep = Array.from({ length: 256 }, (_, index) => step(`steps/a${'/xmd[0]/Dir'.repeat(index + 1)}`));
    expect(treeOf({ entries: deep })).toHaveLength(deep.length + 1);
  });
});
