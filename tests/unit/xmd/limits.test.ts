import { describe, expect, it } from 'vitest';
import { Scene } from '../../acceptance/xmd/scene.ts';
import { checkText } from '../../../controllers/xmd/preflight/check.ts';
import { LIMIT_CEILINGS } from '../../../controllers/xmd/vocabulary/limits.ts';
import { buildTable } from '../../../controllers/xmd/vocabulary/table.ts';

/** One limit of a profile: a fragment that is exactly at it, one that is one past it, and what comes of that. */
interface Boundary {
  readonly limits: Readonly<Record<string, number>>;
  readonly at: string;
  readonly past: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly error: object;
}

const refused = (line: number, column: number): object => ({
  code: 'ERR_XMD_REFUSED',
  data: { class: 'limit', line, column },
});
const failed = (reason: string): object => ({ code: 'ERR_XMD_EFFECT', data: { reason } });
const dirs = (depth: number): string => '<Dir path="d">'.repeat(depth) + '</Dir>'.repeat(depth);

const BOUNDARIES: Readonly<Record<string, Boundary>> = {
  'textBytes, of two-byte characters': { limits: { textBytes: 10 }, at: 'ééééé', past: 'éééééx', error: refused(1, 1) },
  elements: {
    limits: { elements: 2 },
    at: '<File path="a">1</File>\n<File path="b">2</File>',
    past: '<File path="a">1</File>\n<File path="b">2</File>\n<File path="c">3</File>',
    error: refused(3, 1),
  },
  depth: { limits: { depth: 3 }, at: dirs(3), past: dirs(4), error: refused(1, 43) },
  'depth at its default': { limits: {}, at: dirs(32), past: dirs(33), error: refused(1, 32 * 14 + 1) },
  'fileBytes of a write': {
    limits: { fileBytes: 4 },
    at: '<File path="a">éé</File>',
    past: '<File path="a">ééx</File>',
    error: refused(1, 1),
  },
  'fileBytes of a fenced write': {
    limits: { fileBytes: 4 },
    at: '<File path="a" fenced>\n```\nabc\n```\n</File>',
    past: '<File path="a" fenced>\n```\nabcd\n```\n</File>',
    error: refused(1, 1),
  },
  'fileBytes of a read': {
    limits: { fileBytes: 4 },
    files: { small: 'éé', large: 'ééx' },
    at: '<File path="small" />',
    past: '<File path="large" />',
    error: failed('too-large'),
  },
  'resultBytes, observation and output together': {
    limits: { resultBytes: 12 },
    files: { five: '12345' },
    at: '<File path="five" />',
    past: 'x<File path="five" />',
    error: failed('result-limit'),
  },
};

describe('limits of a profile', () => {
  it.each(Object.entries(BOUNDARIES))('F-01 EV-37 %s: at the limit it works', async (_, { limits, at, files }) => {
    const scene = new Scene({
      allow: ['read', 'write'],
      profile: { limits },
      ...(files === undefined ? {} : { files }),
    });
    await expect(scene.process().evaluate({ text: at })).resolves.toHaveProperty('output');
  });

  it.each(Object.entries(BOUNDARIES))(
    'F-01 EV-37 %s: one past it refuses',
    async (_, { limits, past, files, error }) => {
      const scene = new Scene({
        allow: ['read', 'write'],
        profile: { limits },
        ...(files === undefined ? {} : { files }),
      });
      await expect(scene.process().evaluate({ text: past })).rejects.toMatchObject(error);
      expect(files === undefined ? scene.calls : []).toEqual([]);
    },
  );
});

describe('the byte limit comes before reading', () => {
  const table = buildTable({ grants: ['read', 'write'], allow: ['read', 'write'] });
  const time = (text: string, textBytes: number): number => {
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now();
      checkText(text, table, { ...LIMIT_CEILINGS, textBytes });
      return performance.now() - start;
    });
    return times.toSorted((one, other) => one - other)[2] ?? 0;
  };

  it('F-01 a text of 16 MB and one byte costs no more to refuse than a quarter of it does to read', () => {
    const ceiling = LIMIT_CEILINGS.textBytes;
    const text = '<'.repeat(ceiling + 1);
    const refusing = time(text, ceiling);
    const reading = time('< '.repeat(ceiling / 8), ceiling);
    expect(refusing).toBeLessThan(Math.max(reading / 4, 2));
  });

  it('F-01 a text far beyond its limit costs no more to refuse than one just beyond it', () => {
    const [near, far] = ['<'.repeat(1_048_577), '<'.repeat(64 * 1_048_576)];
    expect(time(far, 1_048_576)).toBeLessThan(Math.max(time(near, 1_048_576) * 8, 2));
  });
});
