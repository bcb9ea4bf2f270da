import { describe, expect, it } from 'vitest';
import { paint } from '../../../../kernel/cli/paint.ts';
import { paintDiffs } from '../../../../kernel/cli/paint-diff.ts';
import { requestLines } from '../../../../kernel/cli/request-lines.ts';

const COLOURED = paint({ isTTY: true }, {});
const PLAIN = paint({ isTTY: true }, { NO_COLOR: '1' });

const DIFF = [
  '1. write "a.md"',
  '--- a.md',
  '+++ a.md',
  '@@ -1,3 +1,3 @@',
  ' same',
  '--- like a name',
  '-gone',
  '+++ like one, too',
  '+here',
  '- an item of a list, behind the diff',
  '+ another',
];

const wait = (request: unknown) => ({
  run: 'r',
  path: 'steps/ask',
  resource: 'Durable.Await/ask',
  since: 0,
  state: 'open' as const,
  ...(request === undefined ? {} : { request }),
});

describe('what a wait asks of a person', () => {
  it('CL-10 CL-14 keeps the lines of a text, and escapes what could deceive', () => {
    expect(requestLines(wait('Agree?\n+\u001b[2J\u202e\r\n\n end\n'), PLAIN)).toEqual([
      '  Agree?',
      String.raw`  +\u001b[2J\u202e\r`,
      '  ',
      '   end',
    ]);
    expect(requestLines(wait({ a: [1] }), PLAIN)).toEqual(['  {', '    "a": [', '      1', '    ]', '  }']);
    expect(requestLines(wait(undefined), PLAIN)).toEqual([]);
  });

  it('CL-14 colours diffs on a terminal, what is in a hunk and nothing else, and not where NO_COLOR is set', () => {
    const { bold, cyan, red, green } = COLOURED;
    expect(paintDiffs(DIFF, COLOURED)).toEqual([
      '1. write "a.md"',
      bold('--- a.md'),
      bold('+++ a.md'),
      cyan('@@ -1,3 +1,3 @@'),
      ' same',
      red('--- like a name'),
      red('-gone'),
      green('+++ like one, too'),
      green('+here'),
      '- an item of a list, behind the diff',
      '+ another',
    ]);
    expect(requestLines(wait(DIFF.join('\n')), COLOURED).join('\n')).toContain(red('-gone'));
    for (const colours of [PLAIN, paint({ isTTY: false }, {}), paint({}, {})]) {
      expect(requestLines(wait(DIFF.join('\n')), colours)).toEqual(DIFF.map((line) => `  ${line}`));
    }
  });
});
