import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './support/source-files.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const source = sourceFiles(['sdk', 'controllers', 'kernel', 'conformance']);
const tests = sourceFiles(['tests']).filter((file) => /\.(?:test|suite)\.ts$/.test(file));

/** Files that version control knows, or would know after the next commit; binary ones left out. */
function trackedFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT });
  return listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && !/\.(?:png|db|gif)$/.test(file));
}

describe('tidiness', () => {
  it('has a test for every row of the specifications', () => {
    // A title begins with its ids, be it the first argument or behind a table of cases.
    const titles = tests
      .filter((file) => file !== 'tests/tidy.test.ts')
      .flatMap((file) => read(file).match(/(?<=['"`])[A-Z]{1,3}-?\d+\b[^'"`]*/g) ?? []);
    const proven = new Set(titles.join('\n').match(/\b[A-Z]{1,3}-\d+\b/g));
    const missing = readdirSync(join(ROOT, 'kernel-specs')).flatMap((page) =>
      [...read(`kernel-specs/${page}`).matchAll(/^(?:\| |- \*\*)([A-Z]{1,3}-\d+)\b/gm)]
        .map(([, id = '']) => id)
        .filter((id) => !proven.has(id)),
    );
    expect(missing).toEqual([]);
  });

  it('gives every row of the specifications an id of its own', () => {
    const ids = readdirSync(join(ROOT, 'kernel-specs')).flatMap((page) =>
      [...read(`kernel-specs/${page}`).matchAll(/^(?:\| |- \*\*)([A-Z]{1,3}-\d+)\b/gm)].map(([, id = '']) => id),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.length).toBeGreaterThan(200);
  });

  it('holds no promise of later work in the source', () => {
    const banned =
      /\b(?:TODO|FIXME|XXX|HACK)\b|(?<!waited )\b[Ff]or now\b|\b[Cc]urrently\b|\b[Tt]emporar(?:y|ily) (?:fix|hack|solution)\b/;
    const found = source.filter((file) => banned.test(read(file)));
    expect(found).toEqual([]);
  });

  it('has at most one line of comment for two lines of code', () => {
    const over = source.flatMap((file) => {
      const lines = read(file)
        .split('\n')
        .map((line) => line.trim());
      const comments = lines.filter((line) => /^(?:\/\/|\/\*|\*)/.test(line)).length;
      const code = lines.filter((line) => line !== '').length - comments;
      return code > 40 && comments * 2 > code ? [`${file}: ${comments} to ${code}`] : [];
    });
    expect(over).toEqual([]);
  });

  it('gives every decision a number of its own, and the file its title', () => {
    const pages = readdirSync(join(ROOT, 'docs', 'adr'));
    const numbers = pages.map((page) => page.slice(0, 4));
    expect(pages.filter((page) => !/^\d{4}-[a-z0-9-]+\.md$/.test(page))).toEqual([]);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it('names no folder of a machine and no host of a registry in any file', () => {
    const places =
      /(?:^|[\s'"(=:`])\/(?:home|root|work|Users|opt\/homebrew)\/[\w.-]|https?:\/\/(?:registry\.|[\w.-]*(?:artifactory|nexus|verdaccio))/;
    const found = trackedFiles().filter((file) => file !== 'tests/tidy.test.ts' && places.test(read(file)));
    expect(found).toEqual([]);
  });

  it('says of every function, class and constant at the door of the SDK what it is', () => {
    const names = [...read('sdk/index.ts').matchAll(/^export \{([^}]*)\} from '\.\/([\w/-]+\.ts)';/gms)].flatMap(
      ([, list = '', file = '']) =>
        list
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== '')
          .map((name) => ({ name, file: `sdk/${file}` })),
    );
    expect(names.length).toBeGreaterThan(40);
    const bare = names.filter(({ name, file }) => {
      const declared = new RegExp(`\\*/\\nexport (?:async )?(?:function\\*?|class|const|abstract class) ${name}\\b`);
      return !declared.test(read(file));
    });
    expect(bare).toEqual([]);
  });

  it('keeps every link between pages alive', () => {
    const pages = trackedFiles().filter((file) => file.endsWith('.md') && !/^(?:manifests|tests)\//.test(file));
    const known = new Set(trackedFiles());
    const dead = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target = '']) => join(page, '..', target).split('\\').join('/').replace(/\/$/, ''))
        .filter((target) => !known.has(target) && ![...known].some((file) => file.startsWith(`${target}/`)))
        .map((target) => `${page} -> ${target}`),
    );
    expect(dead).toEqual([]);
  });
});
