import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadManifest } from '../../../../kernel/manifest/load.ts';
import { Expression, Reference } from '../../../../kernel/manifest/tagged.ts';
import { APP, folder, LIB, load, places, sound } from './folder.ts';

const resource = (value: string): string => `${APP}---\nkind: Run.Value\nmetadata: { name: a }\nvalue: ${value}\n`;
const withFields = (text: string): string => `${APP}---\nkind: Run.Value\nmetadata: { name: a }\n${text}\n`;
const nested = (depth: number): string => withFields(`value: ${'['.repeat(depth)}${']'.repeat(depth)}`);
const named = (name: string): string => `${APP}---\nkind: Run.Value\nmetadata: { name: ${name} }\nvalue: 1\n`;
const importAs = (alias: string): string => `${APP}imports:\n  ${alias}: oci://ghcr.io/telorun/run@0.25.0\n`;
const definition = (name: string): string => `${LIB}---\nkind: Telo.Definition\nmetadata: { name: ${name} }\n`;
const importOf = (source: string): string => `${APP}imports:\n  Lib: ${source}\n`;
const partial = (name: string): string => `kind: Run.Value\nmetadata: { name: ${name} }\n`;
const canonical = async (body: string): Promise<string | undefined> =>
  sound(await load({ 'telo.yaml': `${APP}---\n${body}` })).documents[0]?.canonical();

const valueOf = async (value: string, files = {}): Promise<unknown> =>
  sound(await load({ 'telo.yaml': resource(value), ...files })).documents[0]?.fields['value'];

describe('M-01 documents', () => {
  it('M-01 the first document is the module, the others are resources, empty ones are skipped', async () => {
    const text = `${APP}---\n---\nkind: Run.Value\nmetadata: { name: one }\nvalue: 1\n---\n# nothing\n`;
    const module = sound(await load({ 'telo.yaml': text }));
    expect(module.name).toBe('App');
    expect(module.documents.map(({ kind, name, fields }) => ({ kind, name, fields }))).toEqual([
      { kind: 'Run.Value', name: 'one', fields: { value: 1 } },
    ]);
  });

  it.each<[string, string, string[]]>([
    ['no module document', 'kind: Run.Value\nmetadata: { name: a }\n', ['1:7 SCHEMA_VIOLATION']],
    ['two module documents', `${APP}---\n${APP}`, ['4:7 SCHEMA_VIOLATION']],
    ['no kind', `${APP}---\nmetadata: { name: a }\n`, ['4:1 SCHEMA_VIOLATION']],
    ['no metadata', `${APP}---\nkind: Run.Value\n`, ['4:1 SCHEMA_VIOLATION']],
    ['no name', `${APP}---\nkind: Run.Value\nmetadata: { name: 3 }\n`, ['5:19 SCHEMA_VIOLATION']],
    ['a list', `${APP}---\n- a\n`, ['4:1 SCHEMA_VIOLATION']],
    ['an empty file', '', ['1:1 MANIFEST_PARSE_FAILED']],
    ['no YAML', `${APP}x: [1\n`, ['4:1 MANIFEST_PARSE_FAILED']],
    ['two mistakes in a row', `${APP}x: { a: 'b'c', d: e }\ny: [1\n`, ['3:12 MANIFEST_PARSE_FAILED']],
    ['a duplicate key', `${APP}lifecycle: shared\nlifecycle: shared\n`, ['4:1 MANIFEST_PARSE_FAILED']],
  ])('M-01 %s is refused where it stands', async (_what, text, expected) => {
    expect(places(await load({ 'telo.yaml': text }))).toEqual(expected);
  });

  it('M-01 a missing file and bytes that are no UTF-8 are findings', async () => {
    expect(places(await load({ 'other.yaml': APP }))).toEqual(['1:1 MANIFEST_NOT_FOUND']);
    expect(places(await load({ 'telo.yaml': new Uint8Array([0xff, 0xfe]) }))).toEqual(['1:1 MANIFEST_PARSE_FAILED']);
  });

  it('M-01 a device is a finding, and is not read', async () => {
    const { module, diagnostics } = await loadManifest('/dev/zero', { builtins: new Set() });
    expect(module).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: 'MANIFEST_PARSE_FAILED' }]);
    expect(diagnostics[0]?.message).toMatch(/not a regular file/);
  });
});

describe('M-02 tags', () => {
  it('M-02 !cel and ${{ }} become expressions, !ref a reference, the rest plain data', async () => {
    const cel = await valueOf('!cel 1 + 2');
    expect(cel).toBeInstanceOf(Expression);
    expect(cel instanceof Expression && [cel.form, cel.evaluate({}), cel.position.line, cel.position.column]).toEqual([
      'cel',
      3n,
      6,
      13,
    ]);
    const template = await valueOf('"a ${{ inputs.b }}"');
    expect(template instanceof Expression && [template.form, template.evaluate({ inputs: { b: 1 } })]).toEqual([
      'template',
      'a 1',
    ]);
    const reference = await valueOf('!ref Self.other');
    expect(reference instanceof Reference && [reference.name, reference.alias]).toEqual(['other', undefined]);
    const imported = await valueOf('!ref Lib.other');
    expect(imported instanceof Reference && [imported.name, imported.alias, imported.text]).toEqual([
      'other',
      'Lib',
      'Lib.other',
    ]);
    expect(await valueOf('!literal "a ${{ b }}"')).toBe('a ${{ b }}');
    expect(await valueOf('!literal 12')).toBe('12');
    expect(await valueOf('2026-01-01')).toBe('2026-01-01');
  });

  it('M-02 !include-text is the text of a file below the module', async () => {
    expect(await valueOf('!include-text ./t/a.txt', { 't/a.txt': 'x ${{ y }}\r\n' })).toBe('x ${{ y }}\r\n');
  });

  it.each<[string, string, Record<string, string>]>([
    ['an unknown tag', '!sql "select 1"', {}],
    ['include-bytes', '!include-bytes a', {}],
    ['a tag on a list', '!cel [1]', {}],
    ['a reference with two dots', '!ref a.b.c', {}],
    ['an empty reference', '!ref ""', {}],
    ['an include that is not there', '!include-text ./no.txt', {}],
    ['an include outside', '!include-text ../x.txt', {}],
    ['an include by URL', '!include-text https://a/b', {}],
    ['a folder', '!include-text ./t', { 't/a.txt': '' }],
  ])('M-02 %s is refused', async (_what, value, files) => {
    const codes = {
      '!sql': 'UNKNOWN_TAG',
      '!inc': 'INCLUDE_FAILED',
      '!cel': 'UNKNOWN_TAG',
      '!ref': 'INVALID_REFERENCE_FORM',
    };
    const code = value.startsWith('!include-bytes')
      ? 'UNKNOWN_TAG'
      : Object.entries(codes).find(([tag]) => value.startsWith(tag))?.[1];
    const result = await load({ 'telo.yaml': resource(value), ...files });
    expect(places(result)).toEqual([expect.stringMatching(new RegExp(`^6:\\d+ ${code}$`))]);
  });

  it('M-02 an include through a link that leaves the module is refused', async () => {
    const root = folder({ 'm/telo.yaml': resource('!include-text ./link.txt'), 'secret.txt': 's' });
    symlinkSync(path.join(root, 'secret.txt'), path.join(root, 'm/link.txt'));
    expect(places(await loadManifest(path.join(root, 'm'), { builtins: new Set() }))).toEqual(['6:22 INCLUDE_FAILED']);
  });

  it('M-02 a syntax error points into the expression', async () => {
    expect(places(await load({ 'telo.yaml': resource('!cel "1 + "') }))).toEqual(['6:18 CEL_SYNTAX_ERROR']);
    expect(places(await load({ 'telo.yaml': resource("'${{ 1 + }} x'") }))).toEqual(['6:16 CEL_SYNTAX_ERROR']);
    expect(places(await load({ 'telo.yaml': resource('!cel |\n  1 +\n') }))).toEqual(['6:13 CEL_SYNTAX_ERROR']);
  });

  it('M-02 a manifest without expressions needs no expression engine, one with needs it once', async () => {
    expect(await valueOf('plain')).toBe('plain');
  });
});

describe('M-03 hostile YAML', () => {
  it.each<[string, string, string]>([
    ['__proto__', 'value: { __proto__: { a: 1 } }', '6:10 MANIFEST_PARSE_FAILED'],
    ['constructor', 'value: { constructor: 1 }', '6:10 MANIFEST_PARSE_FAILED'],
    ['a merge key', 'a: &a { x: 1 }\nvalue: { <<: *a }', '7:10 MANIFEST_PARSE_FAILED'],
    ['a key that is a map', 'value: { ? { a: 1 } : 1 }', '6:12 MANIFEST_PARSE_FAILED'],
    ['an alias inside what it names', 'value: &a [ *a ]', '6:13 MANIFEST_PARSE_FAILED'],
    ['an alias of nothing', 'value: *nothing', '6:8 MANIFEST_PARSE_FAILED'],
  ])('M-03 %s is refused', async (_what, text, expected) => {
    expect(places(await load({ 'telo.yaml': withFields(text) }))).toEqual([expected]);
  });

  it('M-03 an alias repeats its value; a bomb of aliases is refused', async () => {
    const module = sound(await load({ 'telo.yaml': withFields('a: &a { x: 1 }\nvalue: [*a, *a]') }));
    expect(module.documents[0]?.fields['value']).toEqual([{ x: 1 }, { x: 1 }]);
    const bomb = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]'];
    for (let i = 1; i < 9; i += 1)
      bomb.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(', ')}]`);
    const result = await load({ 'telo.yaml': withFields(bomb.join('\n')) });
    expect(places(result).map((place) => place.split(' ')[1])).toEqual(['MANIFEST_PARSE_FAILED']);
  });

  it('M-03 deep nesting is refused, moderate nesting is read', async () => {
    sound(await load({ 'telo.yaml': nested(100) }));
    expect(places(await load({ 'telo.yaml': nested(500) })).map((place) => place.split(' ')[1])).toEqual([
      'MANIFEST_PARSE_FAILED',
    ]);
  });
});

describe('M-04 names', () => {
  it.each(['with-dash', '1st', 'null', 'as', 'let', 'in', 'namespace', 'constructor'])(
    'M-04 %s is no name',
    async (name) => {
      const yaml = name === 'null' ? '"null"' : name;
      expect(places(await load({ 'telo.yaml': named(yaml) }))).toEqual(['5:19 INVALID_NAME']);
    },
  );

  it('M-04 words that only contain a keyword are names', async () => {
    for (const name of ['in_stock', '_a', 'letter', 'A1']) {
      expect(places(await load({ 'telo.yaml': named(name) }))).toEqual([]);
    }
  });

  it('M-04 modules, import aliases, kinds and types start with a capital', async () => {
    expect(places(await load({ 'telo.yaml': APP.replace('App }', 'app }') }))).toEqual(['2:19 INVALID_TYPE_NAME']);
    expect(places(await load({ 'telo.yaml': importAs('run') }))).toEqual(['4:3 INVALID_TYPE_NAME']);
    sound(await load({ 'telo.yaml': importAs('Run') }));
    expect(places(await load({ 'telo.yaml': definition('thing') }))).toEqual(['5:19 INVALID_TYPE_NAME']);
    sound(await load({ 'telo.yaml': definition('Thing') }));
  });

  it('M-04 two resources cannot share a name; a kind and a resource can', async () => {
    const twice = `${named('a')}---\nkind: Run.Value\nmetadata: { name: a }\n`;
    const result = await load({ 'telo.yaml': twice });
    expect(places(result)).toEqual(['9:19 DUPLICATE_RESOURCE_NAME']);
    expect(result.diagnostics[0]?.message).toContain('first at line 5');
    sound(await load({ 'telo.yaml': `${named('Thing')}---\nkind: Telo.Definition\nmetadata: { name: Thing }\n` }));
  });
});

describe('M-05 imports', () => {
  it.each([
    ['oci://ghcr.io/telorun/run@0.25.0', 'Run'],
    ['oci://ghcr.io/telorun/durable-local@sha256:00', 'DurableLocal'],
    ['oci://localhost:5000/telorun/durable:1', 'Durable'],
    ['telorun/console@1.0.0', 'Console'],
    ['{ source: oci://ghcr.io/telorun/assert@latest }', 'Assert'],
  ])('M-05 %s is built in', async (source, name) => {
    const module = sound(await load({ 'telo.yaml': importOf(source) }));
    expect(module.imports.get('Lib')?.target).toEqual({ kind: 'builtin', module: name });
  });

  it.each([
    'oci://ghcr.io/telorun/sql@1',
    'https://example.org/telo.yaml',
    'https://example.org/run',
    'telorun/ai@1',
    './nowhere',
  ])('M-05 %s is refused, and the message says what there is', async (source) => {
    const result = await load({ 'telo.yaml': importOf(source) });
    expect(places(result)).toEqual(['4:8 IMPORT_UNRESOLVED']);
    const message = source.startsWith('.') ? 'there is no such file' : 'assert, console, durable, durable-local, run';
    expect(result.diagnostics[0]?.message).toContain(message);
  });

  it('M-05 paths: a folder means its telo.yaml; two ways to one file are one module', async () => {
    const text = `${APP}imports:\n  A: ./lib\n  B: { source: ./lib/telo.yaml, variables: { v: !cel variables.x } }\n`;
    const module = sound(await load({ 'telo.yaml': text, 'lib/telo.yaml': LIB }));
    const [a, b] = [module.imports.get('A'), module.imports.get('B')];
    expect(a?.target.kind === 'module' && a.target.module.name).toBe('Lib');
    expect(a?.target.kind === 'module' && b?.target.kind === 'module' && a.target.module === b.target.module).toBe(
      true,
    );
    expect(b?.variables['v']).toBeInstanceOf(Expression);
    expect(b?.position).toMatchObject({ line: 5, column: 6 });
  });

  it('M-05 an authored Telo.Import is an import', async () => {
    const text = `${APP}---\nkind: Telo.Import\nmetadata: { name: Lib }\nsource: ./lib\n`;
    const module = sound(await load({ 'telo.yaml': text, 'lib/telo.yaml': LIB }));
    expect([...module.imports.keys()]).toEqual(['Lib']);
    expect(module.documents).toEqual([]);
  });

  it('M-05 an application, a circle and a library with errors are refused', async () => {
    expect(places(await load({ 'telo.yaml': importOf('./lib'), 'lib/telo.yaml': APP }))).toEqual([
      '4:8 IMPORT_UNRESOLVED',
    ]);
    const circle = `${LIB}imports:\n  Back: ..\n`;
    expect(places(await load({ 'telo.yaml': `${LIB}imports:\n  Lib: ./lib\n`, 'lib/telo.yaml': circle }))).toEqual([
      '4:9 IMPORT_CYCLE',
    ]);
    expect(places(await load({ 'telo.yaml': importOf('./lib'), 'lib/telo.yaml': 'kind: [' })).at(0)).toMatch(
      /MANIFEST_PARSE_FAILED$/,
    );
  });

  it('M-05 a pin is compared with the bytes of the file, and refused for what is built in', async () => {
    const digest = createHash('sha256').update(LIB).digest('base64url');
    sound(await load({ 'telo.yaml': importOf(`./lib#sha256-${digest}`), 'lib/telo.yaml': LIB }));
    sound(
      await load({ 'telo.yaml': importOf(`{ source: ./lib, integrity: "sha256-${digest}" }`), 'lib/telo.yaml': LIB }),
    );
    const changed = await load({ 'telo.yaml': importOf(`./lib#sha256-${digest}`), 'lib/telo.yaml': `${LIB}# changed` });
    expect(places(changed)).toEqual(['4:8 IMPORT_INTEGRITY_FAILED']);
    expect(places(await load({ 'telo.yaml': importOf(`oci://x/run@1#sha256-${digest}`) }))).toEqual([
      '4:8 IMPORT_INTEGRITY_FAILED',
    ]);
    expect(places(await load({ 'telo.yaml': importOf('./lib#other'), 'lib/telo.yaml': LIB }))).toEqual([
      '4:8 IMPORT_UNRESOLVED',
    ]);
  });
});

describe('M-06 partials', () => {
  it('M-06 resources of matching files belong to the module, in the order of their names', async () => {
    const text = `${APP}include: ["parts/*.yaml", "deep/**/*.yaml"]\n`;
    const files = {
      'telo.yaml': text,
      'parts/b.yaml': partial('b'),
      'parts/a.yaml': partial('a'),
      'deep/x/y/c.yaml': partial('c'),
      'parts/n.txt': '',
    };
    const module = sound(await load(files));
    expect(module.documents.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(module.files.map((file) => path.basename(file))).toEqual(['telo.yaml', 'a.yaml', 'b.yaml', 'c.yaml']);
    expect(module.documents[0]?.position().file).toMatch(/parts\/a\.yaml$/);
  });

  it('M-06 a pattern that matches nothing and a partial with a module or kind are refused', async () => {
    expect(places(await load({ 'telo.yaml': `${APP}include: ["no/*.yaml"]\n` }))).toEqual(['3:11 INCLUDE_FAILED']);
    const text = `${APP}include: [p.yaml]\n`;
    expect(places(await load({ 'telo.yaml': text, 'p.yaml': LIB }))).toEqual(['p.yaml:1:7 PARTIAL_KIND_REFUSED']);
  });
});

describe('M-07 positions and digests', () => {
  it('M-07 the position of a path is that of its value or nearest written ancestor', async () => {
    const text = `${APP}---\nkind: Run.Sequence\nmetadata: { name: a }\nsteps:\n  - name: one\n    value:\n  - { name: two, value: 2 }\n`;
    const document = sound(await load({ 'telo.yaml': text })).documents[0];
    const at = (...where: (string | number)[]): string => {
      const position = document?.position(where);
      return `${position?.line}:${position?.column}`;
    };
    expect([
      at(),
      at('steps'),
      at('steps', 0, 'name'),
      at('steps', 0, 'value'),
      at('steps', 1, 'value'),
      at('steps', 7, 'x'),
    ]).toEqual(['4:1', '7:3', '7:11', '8:5', '9:25', '7:3']);
    expect(document?.keyPosition?.(['steps', 1, 'value'])).toMatchObject({ line: 9, column: 18 });
  });

  it('M-07 the canonical text ignores order, comments and quoting, and keeps apart what tags say', async () => {
    const one = await canonical('kind: Run.Value\nmetadata: { name: a }\nvalue: { x: 1, y: !cel "1 + 1" } # why\n');
    expect(await canonical('metadata:\n  name: "a"\nvalue:\n  y: !cel 1 + 1\n  x: 1\nkind: Run.Value\n')).toBe(one);
    const variants = [
      '!cel a',
      '!ref a',
      '!literal a',
      '"${{ a }}"',
      '!literal "${{ a }}"',
      '{ "!cel": a }',
      '1',
      '"1"',
    ];
    const texts = await Promise.all(
      variants.map((value) => canonical(`kind: Run.Value\nmetadata: { name: a }\nvalue: ${value}\n`)),
    );
    expect(new Set(texts).size).toBe(variants.length);
  });
});
