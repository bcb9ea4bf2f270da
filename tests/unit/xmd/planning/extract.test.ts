import { array, assert, constantFrom, pre, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractFragment } from '../../../../controllers/xmd/planning/extract.ts';
import { holdsElement } from '../../../../controllers/xmd/planning/lines.ts';
import { LIMIT_DEFAULTS } from '../../../../controllers/xmd/vocabulary/limits.ts';

const extract = (answer: string) => extractFragment(answer, LIMIT_DEFAULTS);

describe('thinking and wrappers', () => {
  it.each<[string, string, object]>([
    ['two blocks of thinking', '<think>a</think>\n<reasoning>b</reasoning>\n<A />', { ok: true, text: '<A />' }],
    [
      'thinking about its own end',
      '<think>I write </think> soon</think><A />',
      { ok: true, text: ' soon</think><A />' },
    ],
    [
      'thinking that is only mentioned',
      'The tag `<think>` is text. <A />',
      { ok: true, text: 'The tag `<think>` is text. <A />' },
    ],
    ['two ends that nothing opened', 'a\n</think>\nb\n</think>\n<A />', { ok: false, reason: 'thinking' }],
    ['an end in a fence', '```xmd\n</think>\n<A />\n```\n', { ok: false, reason: 'thinking' }],
    ['an end that is not alone', 'a </think> b\n<A />', { ok: true, text: 'a </think> b\n<A />' }],
  ])('PL-21 %s', (_name, answer, expected) => {
    expect(extract(answer)).toEqual(expected);
  });

  it.each<[string, string, object]>([
    ['behind prose', 'Here:\n<answer><A /></answer>\nBye.', { ok: true, text: '<A />' }],
    ['with an element behind', '<answer><A /></answer>\n<B />', { ok: false, reason: 'several' }],
    ['with a fence behind', '<answer><A /></answer>\n```xmd\n<B />\n```', { ok: false, reason: 'several' }],
    ['twice', '<answer><A /></answer>\n<answer><B /></answer>', { ok: false, reason: 'several' }],
    [
      'behind an element, where it is prose',
      '<A />\n<answer>x</answer>',
      { ok: true, text: '<A />\n<answer>x</answer>' },
    ],
    ['empty', '<answer>\n</answer>', { ok: false, reason: 'empty' }],
  ])('PL-22 a wrapper %s', (_name, answer, expected) => {
    expect(extract(answer)).toEqual(expected);
  });
});

/** A marked fence with `count` lines that could close it, the last one of which does. */
function nested(count: number): string {
  return `\`\`\`xmd\n<A>\n${'```\nx\n'.repeat(count - 1)}</A>\n\`\`\`\n`;
}

describe('fences', () => {
  it.each<[string, string, object]>([
    [
      'a block that holds no element is no candidate',
      '```\nls\n```\n```text\n<A />\n```',
      { ok: true, text: '<A />\n' },
    ],
    [
      'a block of another language is none either',
      '```python\nprint(List[A] < B)\n```\n```\n<A />\n```',
      { ok: true, text: '<A />\n' },
    ],
    ['a marked block wins over others', '```\n<B />\n```\n```XMD title="x"\n<A />\n```', { ok: true, text: '<A />\n' }],
    ['a block with an element that cannot be read is one', '```\n<A\n```\n', { ok: true, text: '<A\n' }],
    [
      'an example that never closes and holds none is none',
      '```xmd\n<A />\n```\n```\nls',
      { ok: true, text: '<A />\n' },
    ],
    ['a close tag outside is an element outside', '```xmd\n<A />\n```\n</A>', { ok: false, reason: 'several' }],
  ])('PL-24 %s', (_name, answer, expected) => {
    expect(extract(answer)).toEqual(expected);
  });

  it('PL-26 a fence that may hold the fragment and never closes is in doubt; closed, it holds it', () => {
    expect(extract('```xmd\n<A />\n')).toEqual({ ok: false, reason: 'open-fence' });
    expect(extract('```xmd\n<A />\n```\n```\n<B />')).toEqual({ ok: false, reason: 'open-fence' });
    expect(extract('```xmd\n<A />\n```\n')).toEqual({ ok: true, text: '<A />\n' });
  });

  it('PL-25 tries at most 200 closing lines', () => {
    expect(extract(nested(199))).toMatchObject({ ok: true });
    expect(extract(nested(301))).toEqual({ ok: false, reason: 'too-many-fences' });
  });

  it('PL-27 keeps blank lines without indentation, and what is indented deeper', () => {
    expect(extract('- a\n\t```xmd\n\t<A>\n\n\t\tx\n\t</A>\n\t```')).toEqual({ ok: true, text: '<A>\n\n\tx\n</A>\n' });
  });
});

describe('elements in a line', () => {
  it.each([
    ['<A />', true],
    ['</A>', true],
    ['a < B', false],
    ['`<A />`', false],
    ['`<A />', true],
    ['``<A />` `` x', false],
    ['`a` <A /> `b`', true],
    ['``` <A /> ` <B /> `', true],
    ['', false],
  ])('PL-23 %j holds one: %s', (line, expected) => {
    expect(holdsElement(line)).toBe(expected);
  });
});

function withoutIndents(text: string): string {
  return text.replaceAll(/^[ \t]+/gm, '');
}

describe('any answer', () => {
  const piece = constantFrom(
    '<A />',
    '<A>',
    '</A>',
    '```',
    '````',
    '~~~',
    'xmd',
    'html',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '<think>',
    '</think>',
    '<answer>',
    '</answer>',
    '`',
    'x',
    '{y}',
    '---',
  );
  const answers = array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

  it('PL-29 gives a part of itself, its lines at most without indentation, or a reason', () => {
    assert(
      property(answers, (answer) => {
        const found = extract(answer);
        expect(!found.ok || withoutIndents(answer).includes(withoutIndents(found.text))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('PL-24 in a marked fence of its own length gives exactly the fragment', () => {
    assert(
      property(answers, (text) => {
        pre(!/<\/?think>|<answer>|^~{3}/m.test(text) && !/`{5,}/.test(text));
        const body = text.endsWith('\n') || text === '' ? text : `${text}\n`;
        const found = extract(`\`\`\`\`\`xmd\n${body}\`\`\`\`\`\n`);
        expect(found).toEqual({ ok: true, text: body });
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, string]>([
    ['fences', '```\n'],
    ['fences with elements', '```\n<A />\n'],
    ['runs of backticks', '` `` '],
    ['ends of thinking', '</think>\n'],
    ['thinking', '<think></think>'],
    ['wrappers', '<answer>\n'],
    ['blank lines', ' \n'],
    ['openings', '<A '],
  ])('PL-25 of a megabyte of %s is read', (_name, part) => {
    const answer = part.repeat(Math.floor(1_000_000 / part.length));
    expect(extract(answer)).toHaveProperty('ok');
    expect(extract(`\`\`\`xmd\n${answer}`)).toHaveProperty('ok');
  });
});
