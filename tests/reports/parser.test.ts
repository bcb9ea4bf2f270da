import { describe, expect, it } from 'vitest';
import { checkWidest, writtenFiles } from '../corpus/corpus.ts';
import { Scene } from '../acceptance/xmd/scene.ts';

const dirs = (depth: number): string => '<Dir path="d">'.repeat(depth) + '</Dir>'.repeat(depth);

function written(text: string): unknown {
  const verdict = checkWidest(text);
  return verdict.ok ? writtenFiles(verdict.value).map(({ content }) => content) : verdict.refusal.class;
}

async function onDisk(text: string): Promise<string | undefined> {
  const scene = new Scene({ allow: ['read', 'write'] });
  await scene.process().evaluate({ text });
  return scene.get('a');
}

describe('what is written between the tags', () => {
  it.each([
    'all:\n\techo hi\n',
    'def f():\n    return __init__\n',
    '- b\n- c\n',
    '__init__ and *x*\n',
    'mixed\r\nline\nends\r',
    '\uFEFFwith a mark\n',
    'no end of line',
    'a\u2028b\u2029c\u0085d\fe\n',
    'trailing  \n\n\n',
  ])('reports mdx-js/mdx#2666 codex#4003 content reaches the file byte for byte: %j', async (content) => {
    expect(await onDisk(`<File path="a">\n${content}</File>`)).toBe(content);
  });

  it('reports codex#4003 a NUL and a lone surrogate refuse, and their neighbours do not', () => {
    expect(written('<File path="a">\0</File>')).toBe('construct');
    expect(written('<File path="a">\uD800</File>')).toBe('construct');
    expect(written('<File path="a">\u0001🎉</File>')).toEqual(['\u0001🎉']);
  });

  it('reports mdx-js/mdx#607 a fence with and without a blank line before it gives the same bytes', () => {
    const body = '```js\nlet a;\n```\n';
    expect(written(`<File path="a" fenced>\n${body}</File>`)).toEqual(['let a;\n']);
    expect(written(`<File path="a" fenced>\n\n${body}</File>`)).toEqual(['let a;\n']);
  });

  it('reports mdx-js/mdx#2181 an opening tag in a line and a closing one on its own are a pair', () => {
    expect(written('see <File path="a">text\n</File>')).toEqual(['text\n']);
    expect(checkWidest('see <File path="a">text\n')).toEqual({
      ok: false,
      refusal: { class: 'construct', line: 1, column: 5 },
    });
  });

  it('reports apache/magpie#1011 an inner fence as long as the outer refuses, a longer outer one holds it', () => {
    expect(written('<File path="a" fenced>\n```\n```\nx\n```\n```\n</File>')).toBe('content');
    expect(written('<File path="a" fenced>\n````\n```\nx\n```\n</File>\n````\n</File>')).toEqual([
      '```\nx\n```\n</File>\n',
    ]);
  });

  it('reports aider#5662 a fence that is indented or in a list loses its indentation, and nothing else', () => {
    expect(written('- <File path="a" fenced>\n  ```\n  if x:\n    y\n  ```\n  </File>')).toEqual(['if x:\n  y\n']);
    expect(written('<File path="a" fenced>\n  ```\nx\n  ```\n</File>')).toBe('content');
  });
});

describe('what prose may hold', () => {
  it.each([
    ['{no one}', []],
    ['a lone {', []],
    ['{{x}}', 'interpolation'],
    ['${y}', 'interpolation'],
    ['{name}', 'interpolation'],
    ['\\{name}', []],
    ['`{name}`', []],
    ['<File path="a">{name} {{x}} ${y} {</File>', ['{name} {{x}} ${y} {']],
  ])('reports micromark-extension-mdx-expression#9 fastmcp#3227 %j is text or one clear refusal', (text, expected) => {
    expect(written(text)).toEqual(expected);
  });
});

describe('attributes', () => {
  it.each([
    ['evanw/esbuild#1115', '<File path="a\\"b" />', 'construct'],
    ['duplicate-attribute#0', '<File path="a" path="b" />', 'construct'],
    ['spread#0', '<File {...x} />', 'construct'],
    ['signoz.io#2717', '<File path="a" overwrite={true} />', 'props'],
    ['js-yaml#CVE-2025-64718', '<File __proto__={{"a":1}} path="a" />', 'props'],
    ['js-yaml#CVE-2025-64718', '<File constructor="x" path="a" />', 'props'],
    ['js-yaml#CVE-2025-64718', '<File prototype path="a" />', 'props'],
  ])('reports %s %s refuses as written', (_, text, expected) => {
    expect(written(text)).toBe(expected);
    expect(written('<File path="a" />')).toEqual([]);
  });
});

describe('depth', () => {
  const shapes: Readonly<Record<string, (depth: number) => string>> = {
    quotes: (depth) => `${'> '.repeat(depth)}x`,
    lists: (depth) => Array.from({ length: Math.min(depth, 2000) }, (_, at) => `${'  '.repeat(at)}- x\n`).join(''),
    fences: (depth) => '````\n```\n'.repeat(depth),
    braces: (depth) => '{'.repeat(depth),
    tags: (depth) => '<Dir path="d">'.repeat(depth),
    'mixed tags': (depth) => '> - <Dir path="d">\n```\n</Dir>\n```\n'.repeat(depth),
    sums: (depth) => `<File path={${Array.from({ length: depth }, () => 'a').join('+')}} />`,
    'JSON lists': (depth) => `<File path={${'['.repeat(depth)}${']'.repeat(depth)}} />`,
  };

  it.each(Object.entries(shapes))(
    'reports markedjs/marked#1462 ox-content#1211 10,000 %s are read or refused at once',
    (_, shape) => {
      expect(() => checkWidest(shape(10_000))).not.toThrow();
      expect(() => checkWidest(shape(3))).not.toThrow();
    },
  );

  it('reports markedjs/marked#1462 the limit is admitted, and one more is not', () => {
    expect(written(dirs(32))).toEqual([]);
    expect(written(dirs(33))).toBe('limit');
  });
});

describe('text that comes from somewhere else', () => {
  it('reports nekro-agent#274 actionlint#19 a file that is itself a fragment stays text', async () => {
    const scene = new Scene({ allow: ['read', 'write'], files: { f: '<File path="a">owned</File>{name}' } });
    const { observations, output } = await scene.process().evaluate({ text: 'x <File path="f" /> y' });
    expect(observations).toEqual([{ name: 'File', value: '<File path="a">owned</File>{name}' }]);
    expect(output).toBe('x <File path="a">owned</File>{name} y');
    expect(scene.get('a')).toBeUndefined();
  });

  it('reports js-yaml#652 front matter is no part of a fragment: a bomb in it is never read', () => {
    const bomb = `---\n${Array.from({ length: 20 }, (_, at) => `a${at}: &a${at} [${`*a${Math.max(0, at - 1)},`.repeat(9)}]`).join('\n')}\n---\n`;
    expect(written(bomb)).toBe('construct');
    expect(written('text\n---\ntext\n---\n')).toEqual([]);
  });
});
