import { describe, expect, it } from 'vitest';
import * as Profile from '../../../controllers/xmd/profile.ts';
import * as Syntax from '../../../controllers/xmd/syntax.ts';
import { checkText } from '../../../controllers/xmd/preflight/check.ts';
import { LIMIT_DEFAULTS } from '../../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../../controllers/xmd/vocabulary/table.ts';
import { fakeContext, resource } from '../../support/fake-context.ts';

const COUNT = {
  name: 'Count',
  form: 'self-closing',
  grant: 'read',
  revision: '1',
  description: 'Counts things.',
  props: {
    type: 'object',
    required: ['of', 'limit'],
    additionalProperties: false,
    properties: {
      of: { enum: ['words', 'lines'] },
      limit: { type: 'integer', description: 'At most' },
      deep: { type: 'boolean' },
    },
  },
  invoke: { kind: 'T.K', name: 'count' },
};

function syntax(fields: object = {}, profile: object = {}) {
  const ctx = fakeContext({ resources: { count: resource('T.K', 'count', () => 1) } });
  const stated = { root: './work', grants: ['read', 'write'], operations: [COUNT], ...profile };
  Profile.create({ kind: 'Xmd.Profile', metadata: { name: 'p' }, ...stated }, ctx);
  return Syntax.create({ kind: 'Xmd.Syntax', metadata: { name: 's' }, ...fields }, ctx);
}

const headings = (markdown: string): readonly string[] => markdown.match(/^### .*$/gm) ?? [];
const named = (symbols: readonly { name: string; forms: readonly string[] }[]): readonly string[] =>
  symbols.map(({ name, forms }) => `${name} ${forms.join(' ')}`);

describe('the syntax reference', () => {
  it.each([
    [['read'], ['File self-closing', 'Count self-closing']],
    [['write'], ['File paired', 'Dir paired', 'File.Delete self-closing']],
    [
      ['read', 'write'],
      ['File self-closing', 'Count self-closing', 'File paired', 'Dir paired', 'File.Delete self-closing'],
    ],
  ])('E5 bare lists exactly what %j admits, as Markdown and as data', async (allow, expected) => {
    const { markdown, symbols } = await syntax({ allow }).invoke({});

    expect(named(symbols)).toEqual(expected);
    expect(headings(markdown).map((line) => line.replace(/^### (.*), (.*) \(.*$/, '$1 $2'))).toEqual(expected);
    expect(symbols.every(({ available }) => available)).toBe(true);
  });

  it('E5 by name documents an element of the wider reference and says whether it is available, which admits nothing', async () => {
    const narrow = syntax({ allow: ['read'] });

    const { markdown, symbols } = await narrow.invoke({ names: ['File', 'Evaluate', 'Glob'] });

    expect(symbols.map(({ name, forms: [form], available }) => [name, form, available])).toEqual([
      ['Evaluate', 'self-closing', false],
      ['File', 'self-closing', true],
      ['File', 'paired', false],
    ]);
    expect(markdown).toContain('### File, paired (write)');
    expect(markdown).toContain('Not available here.');
    expect(markdown).toContain('### Glob\nThere is no such element.');
    const table = buildTable({ grants: ['read', 'write'], allow: ['read'] });
    expect(checkText('<File path="a">x</File>', table, LIMIT_DEFAULTS)).toMatchObject({
      refusal: { class: 'content' },
    });
    expect(checkText('<Syntax />', table, LIMIT_DEFAULTS)).toMatchObject({ refusal: { class: 'component' } });
    expect(named((await narrow.invoke({})).symbols)).toEqual(['File self-closing', 'Count self-closing']);
  });

  it('E17 lists what is protected with its description, and the old spelling of text', async () => {
    const { reference } = await syntax({ allow: ['read'] }).invoke(undefined);

    const evaluate = reference.find(({ name }) => name === 'Evaluate');
    expect(evaluate).toMatchObject({
      origin: 'protected',
      grant: null,
      available: false,
      description: 'Evaluate program text. `<Evaluate text={program} allow={["read"]} />` runs it.',
      props: {
        properties: {
          source: {
            description: 'Deprecated compatibility spelling for workflow documents. Use text in new documents.',
          },
        },
      },
    });
    expect(reference.find(({ name }) => name === 'Plan')).toMatchObject({
      origin: 'protected',
      description:
        'Generate program text from a prompt. `<Plan as="program">Ask for the user\'s age.</Plan>` produces a string that can be passed to `<Evaluate>`.',
    });
    expect(reference.map(({ name, origin, available }) => [name, origin, available])).toEqual([
      ['Evaluate', 'protected', false],
      ['Plan', 'protected', false],
      ['Syntax', 'protected', false],
      ['File', 'standard', true],
      ['Count', 'host', true],
      ['File', 'standard', false],
      ['Dir', 'standard', false],
      ['File.Delete', 'standard', false],
    ]);
    for (const entry of reference) {
      expect(Object.keys(entry).toSorted()).toEqual([
        'available',
        'description',
        'forms',
        'grant',
        'name',
        'origin',
        'props',
      ]);
    }
  });

  it('PL-40 documents props, limits, paths and requests of the table, and an example that is admitted', async () => {
    const profile = {
      requests: [{ url: 'https://example.org/status' }],
      paths: { read: { allow: ['docs/**'], deny: ['docs/private'] } },
    };
    const { markdown } = await syntax({ allow: ['read', 'write'] }, profile).invoke({});

    expect(markdown).toContain('- `path` (string, required): Relative POSIX path');
    expect(markdown).toContain('- `of` ("words" or "lines", required)');
    expect(markdown).toContain('- `limit` (integer, required): At most');
    expect(markdown).toContain('Example: `<Count of="words" limit={1} />`');
    expect(markdown).toContain('To read: only `docs/**`, never `docs/private`.');
    expect(markdown).toContain('"https://example.org/status"');
    expect(markdown).toContain('At most 1048576 bytes, 1000 elements, 32 deep, 1048576 bytes in a file.');
  });

  it('PL-41 is tight: at most so many characters a table', async () => {
    const read = await syntax({ allow: ['read'] }, { operations: [] }).invoke({});
    const both = await syntax({ allow: ['read', 'write'] }, { operations: [] }).invoke({});

    expect(read.markdown.length).toBeLessThan(1_100);
    expect(both.markdown.length).toBeLessThan(2_400);
  });

  it.each<[string, unknown]>([
    ['an unknown input', { profile: {} }],
    ['names that are none', { names: ['file'] }],
    ['no names', { names: [] }],
    ['a name twice', { names: ['File', 'File'] }],
    ['an allow that is wider', { allow: ['write'] }],
  ])('PL-42 refuses %s', async (_name, inputs) => {
    await expect(syntax({ allow: ['read'] }).invoke(inputs)).rejects.toMatchObject({ code: 'ERR_XMD_INPUT' });
    await expect(syntax({ allow: ['read'] }).invoke({ names: ['File'] })).resolves.toBeDefined();
  });

  it('PL-40 is the same at the same time for other narrowings', async () => {
    const one = syntax({ allow: ['read'] });
    const answers = await Promise.all([one.invoke({}), syntax({ allow: ['write'] }).invoke({}), one.invoke({})]);

    expect(answers.map(({ symbols }) => symbols.length)).toEqual([2, 3, 2]);
  });
});
