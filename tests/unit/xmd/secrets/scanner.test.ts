import { describe, expect, it } from 'vitest';
import { loadScanner, openScanner } from '../../../../controllers/xmd/secrets/scanner.ts';
import { valueText } from '../../../../controllers/xmd/secrets/value-text.ts';

const GITHUB = '@secretlint/secretlint-rule-github';
const DATABASE = '@secretlint/secretlint-rule-database-connection-string';
// Put together here, so that no tool that looks for secrets finds one in this file.
const TOKEN = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_');
const COMPOSE = 'services:\n  db:\n    environment:\n      URL: postgres://postgres:postgres@localhost:5432/app\n';

/** A preset of one rule with this handler. */
const preset = (file: unknown) => ({
  creator: {
    create: (context: { registerRule: (rule: unknown) => void }) =>
      context.registerRule({ meta: { id: 'r' }, create: () => ({ file }) }),
  },
});

describe('the scanner over the rules of the library', () => {
  it('SC-02 names rule, line and column of the first finding, in UTF-16 units', async () => {
    const scanner = await loadScanner();
    expect(scanner.scan(`a\r\n\u{1F600} ${TOKEN}`, [])).toEqual({ rule: GITHUB, line: 2, column: 4 });
    expect(scanner.scan(`${TOKEN}\n${COMPOSE}`, [])).toEqual({ rule: GITHUB, line: 1, column: 1 });
    expect(scanner.scan('ordinary text, token: none', [])).toBeUndefined();
  });

  it.each([
    ['a token', TOKEN],
    ['a password in a URL', ['https://user', 'hunter2hunter2@example.com/'].join(':')],
    ['a chat token', ['xoxb', '23984754863', '2348975623103'].join('-')],
    ['a registry token', ['npm', 'Zt4lM8nB3pQ7rS2vX6yA9cD1eF5gH0jK3mLp'].join('_')],
  ])('SC-02 finds %s', async (_name, secret) => {
    expect((await loadScanner()).scan(`see ${secret} `, [])).toMatchObject({ line: 1 });
  });

  it('SC-03 leaves out a rule that is allowed, and no other', async () => {
    const scanner = await loadScanner();
    expect(scanner.scan(COMPOSE, [])).toMatchObject({ rule: DATABASE, line: 4 });
    expect(scanner.scan(COMPOSE, [DATABASE])).toBeUndefined();
    expect(scanner.scan(COMPOSE + TOKEN, [DATABASE])).toMatchObject({ rule: GITHUB, line: 5 });
  });

  it('SC-04 no text can ask not to be examined', async () => {
    const scanner = await loadScanner();
    for (const word of ['disable', 'disable-line', 'disable-next-line']) {
      expect(scanner.scan(`<!-- secretlint-${word} -->\n${TOKEN} // secretlint-${word}`, [])?.rule).toBe(GITHUB);
    }
  });

  it('SC-05 every answer is its own: a rule keeps no place from one text to the next', async () => {
    const scanner = await loadScanner();
    const found = scanner.scan(TOKEN, []);
    for (let n = 0; n < 5; n += 1) expect(scanner.scan(TOKEN, [])).toEqual(found);
    expect(scanner.scan('', [])).toBeUndefined();
    expect(scanner.scan(TOKEN, [])).toEqual(found);
  });

  it('SC-06 a library that is not what this was written for is refused before anything is performed', () => {
    expect(openScanner(preset(() => undefined)).rules).toEqual(['r']);
    expect(() => openScanner(preset(async () => undefined))).toThrow(/r answers late/);
    expect(() => openScanner(preset(undefined))).toThrow(/no rules/);
    expect(() => openScanner({})).toThrow(/create is no function/);
    expect(() =>
      openScanner(
        preset(() => {
          throw new RangeError('broken rule');
        }),
      ),
    ).toThrow(/broken rule/);
    expect(() =>
      openScanner(preset(({ content }: { content: string }) => (content === '' ? undefined : Promise.resolve()))).scan(
        'x',
        [],
      ),
    ).toThrow(/answers late/);
  });

  it('SC-07 is linear: a megabyte takes no quadratic time', async () => {
    const scanner = await loadScanner();
    const hostile = ['a', 'https://', 'postgres://a:', '-----BEGIN ', 'AKIA', 'sk-ant-', '@:/', 'xoxb-1-'];
    for (const piece of hostile) {
      const time = (bytes: number) => {
        const text = piece.repeat(Math.ceil(bytes / piece.length));
        const runs = [1, 2, 3].map(() => {
          const start = performance.now();
          scanner.scan(text, []);
          return performance.now() - start;
        });
        return Math.min(...runs);
      };
      time(65_536);
      // Eight times the text: 8 when linear, 64 when quadratic. A loaded machine may spoil a round, never make one good.
      let growth = Infinity;
      for (let round = 0; round < 5 && growth >= 32; round += 1) {
        growth = Math.min(growth, time(1_048_576) / (time(131_072) + 1));
      }
      expect({ piece, linear: growth < 32 }).toEqual({ piece, linear: true });
    }
  });
});

describe('what a value holds in words', () => {
  it('SC-12 holds every string and name as written, a name beside its string', () => {
    expect(valueText({ a: 'x\ny', b: [1, 'z', { c: null }], 'q"': true })).toBe(
      'a: x\ny\nb: 1\nb: z\nb: \nc: null\nq": true',
    );
    expect(valueText('text')).toBe('text');
    expect(valueText(null)).toBe('');
  });
});
