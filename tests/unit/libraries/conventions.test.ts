import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isRecord } from '../../../kernel/manifest/record.ts';
import { sourceFiles } from '../../support/source-files.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const LIBRARIES = readdirSync(join(ROOT, 'manifests')).filter((name) =>
  existsSync(join(ROOT, 'manifests', name, 'telo.yaml')),
);

/** The categories that the ecosystem's catalogue has. */
const CATEGORIES = new Set(
  (
    'AI, Compute, Configuration, Coordination, Data, Observability, Performance, Reliability, Scheduling, Storage, ' +
    'Streaming, Testing, Transport'
  ).split(', '),
);

type Json = Readonly<Record<string, unknown>>;

const member = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Json => (isRecord(value) ? value : {});

function documents(library: string): readonly Json[] {
  const source = readFileSync(join(ROOT, 'manifests', library, 'telo.yaml'), 'utf8');
  return parseAllDocuments(source).map((document) => record(document.toJS()));
}

interface Field {
  readonly at: string;
  readonly schema: Json;
}

/** Every schema below one, with where it stands; what a `properties` names, an item, a value or a branch of it. */
function* schemasIn(schema: unknown, at: string): Generator<Field> {
  if (!isRecord(schema)) return;
  yield { at, schema };
  for (const [name, property] of Object.entries(record(schema['properties']))) {
    yield* schemasIn(property, `${at}.${name}`);
  }
  yield* schemasIn(schema['items'], `${at}[]`);
  yield* schemasIn(schema['additionalProperties'], `${at}{}`);
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    for (const [index, branch] of list(schema[keyword]).entries()) yield* schemasIn(branch, `${at}|${index}`);
  }
}

const inputSchema = (definition: Json, type: 'inputType' | 'outputType'): unknown =>
  member(definition[type], 'schema') ?? definition[type];

/** The schemas of one kind: its own, what it takes and what it answers. */
function kindSchemas(definition: Json): readonly Field[] {
  return [
    ...schemasIn(definition['schema'], 'schema'),
    ...schemasIn(inputSchema(definition, 'inputType'), 'inputType'),
    ...schemasIn(inputSchema(definition, 'outputType'), 'outputType'),
  ];
}

const kinds = LIBRARIES.flatMap((library) =>
  documents(library)
    .filter(({ kind }) => kind === 'Telo.Definition')
    .map((definition) => ({ library, definition, name: text(member(definition['metadata'], 'name')) })),
);

describe.each(LIBRARIES)('the library %s', (library) => {
  const [head = {}, ...rest] = documents(library);

  it('LB-01 begins with a Telo.Library that says what it is, for whom, and which Telo it needs', () => {
    const metadata = record(head['metadata']);
    expect(head['kind']).toBe('Telo.Library');
    expect(text(metadata['name'])).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    expect(text(metadata['version'])).toMatch(/^\d+\.\d+\.\d+$/);
    expect(metadata['license']).toBe('MIT');
    expect(text(metadata['description']).length).toBeGreaterThan(40);
    expect(list(metadata['categories']).filter((category) => !CATEGORIES.has(text(category)))).toEqual([]);
    expect(text(member(head['requires'], 'telo'))).toMatch(/^>=0\.\d+\.\d+$/);
  });

  it('LB-01 exports exactly the kinds that it defines', () => {
    const defined = rest.filter(({ kind }) => kind === 'Telo.Definition').map((one) => member(one['metadata'], 'name'));
    expect(list(member(head['exports'], 'kinds')).toSorted()).toEqual(defined.toSorted());
  });

  it('LB-06 has a README with a table of its kinds and a page for each of them', () => {
    const folder = join(ROOT, 'manifests', library);
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    for (const kind of list(member(head['exports'], 'kinds')).map(text)) {
      const page = `docs/${kind.toLowerCase()}.md`;
      expect(readme).toContain(`](${page})`);
      expect(existsSync(join(folder, page))).toBe(true);
      expect(readFileSync(join(folder, page), 'utf8')).toMatch(/^---\ndescription: .+\nsidebar_label: .+\n---\n/);
    }
  });
});

describe.each(kinds)('the kind $library $name', ({ library, definition, name }) => {
  it('LB-02 is described, in the categories of the catalogue, with a capability and a controller that both hosts find', () => {
    const metadata = record(definition['metadata']);
    const [controller] = list(definition['controllers']).map(text);
    const query = new URLSearchParams(controller?.slice(controller.indexOf('?') + 1).replace(/#.*$/, ''));
    expect(text(metadata['description']).length).toBeGreaterThan(40);
    expect(list(metadata['categories']).filter((category) => !CATEGORIES.has(text(category)))).toEqual([]);
    expect(text(definition['capability'])).toMatch(/^Telo\.(?:Invocable|Mount|Provider)$/);
    expect(controller).toMatch(new RegExp(`^pkg:telo/local/js\\?path=\\./dist/[^&]+\\.mjs&local_path=[^&]+#${name}$`));
    expect(existsSync(resolve(ROOT, 'manifests', library, query.get('local_path') ?? 'none'))).toBe(true);
    expect(existsSync(resolve(ROOT, 'manifests', library, query.get('path') ?? 'none'))).toBe(true);
  });

  it('LB-03 gives every field a title and a description, and closes every object that names its fields', () => {
    const undescribed = kindSchemas(definition)
      .filter(({ at }) => /\.[^.[\]{}|]+$/.test(at))
      .filter(({ schema }) => text(schema['title']) === '' || text(schema['description']) === '');
    const open = kindSchemas(definition).filter(
      ({ schema }) => 'properties' in schema && schema['additionalProperties'] !== false,
    );
    expect(undescribed.map(({ at }) => at)).toEqual([]);
    expect(open.map(({ at }) => at)).toEqual([]);
  });

  it('LB-04 states defaults and examples that its own schema admits', () => {
    const schema = record(definition['schema']);
    const ajv = new Ajv({ strict: false, allErrors: true });
    // The language's own fragments are checked by those who read steps.
    ajv.addSchema({ $id: 'telo://manifest', $defs: { Step: { type: 'object', required: ['name'] } } });
    const examples = list(schema['examples']);
    expect(examples.length).toBeGreaterThan(0);
    const problems = (against: Json, value: unknown): readonly unknown[] =>
      ajv.compile(against)(value) ? [] : [ajv.errorsText()];
    expect(examples.flatMap((example) => problems(schema, example))).toEqual([]);
    const stated = kindSchemas(definition).filter(({ schema: field }) => 'default' in field);
    expect(stated.flatMap(({ schema: field }) => problems(field, field['default']))).toEqual([]);
  });
});

const at = (library: string, name: string) => {
  const found = kinds.find((kind) => kind.library === library && kind.name === name);
  return [...schemasIn(found?.definition['schema'], name)];
};

describe('what a Telo kernel is told', () => {
  it.each(LIBRARIES)(
    'LB-10 %s is data: no tag stands in it, which a kernel would take for an expression of its own',
    (library) => {
      const source = readFileSync(join(ROOT, 'manifests', library, 'telo.yaml'), 'utf8');
      for (const { errors, warnings } of parseAllDocuments(source))
        expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
      expect(source).not.toContain('${{');
    },
  );

  it('LB-10 an example states a reference as a resource in place, never as a text that no kernel takes', () => {
    const stated = kinds.flatMap(({ library, name, definition }) =>
      list(member(definition['schema'], 'examples')).flatMap((example) =>
        at(library, name)
          .filter(({ at: place, schema }) => 'x-telo-ref' in schema && place.split('.').length === 2)
          .map(({ at: place }) => member(example, place.split('.')[1] ?? '')),
      ),
    );
    const steps = kinds.flatMap(({ definition }) =>
      list(member(definition['schema'], 'examples')).flatMap((example) => list(member(example, 'content'))),
    );
    const references = [...stated, ...steps.map((step) => member(step, 'invoke'))].filter(
      (value) => value !== undefined,
    );
    expect(references.length).toBeGreaterThan(0);
    expect(references.filter((value) => text(member(value, 'kind')) === '')).toEqual([]);
  });

  it('LB-10 what is performed of a profile is a call, what is looked at is a dependency, and Evaluate alone may park', () => {
    const uses = kinds
      .filter(({ library }) => library === 'xmd')
      .flatMap(({ library, name }) =>
        at(library, name).flatMap(({ at: place, schema }) => {
          const use = member(schema['x-telo-ref'], 'use');
          return use === undefined ? [] : [`${place} ${text(use)}`];
        }),
      );
    expect(uses.toSorted()).toEqual([
      'Evaluate.profile call',
      'Plan.model dependency',
      'Plan.profile dependency',
      'Preflight.profile dependency',
      'Profile.operations[].invoke call',
      'Syntax.profile dependency',
    ]);
    const parking = kinds.filter(
      ({ definition }) => member(definition['schema'], 'x-telo-violates-zone') !== undefined,
    );
    expect(parking.map(({ name }) => name)).toEqual(['Evaluate']);
    expect(text(member(member(parking[0]?.definition['schema'], 'x-telo-violates-zone'), 'noSuspend'))).not.toBe('');
  });

  it('LB-10 Profile is a Mount; content has steps and a zone; what is evaluated beforehand stands above the items of a list', () => {
    expect(kinds.find(({ name }) => name === 'Profile')?.definition['capability']).toBe('Telo.Mount');
    const content = at('xmd', 'Evaluate').find(({ at: place }) => place === 'Evaluate.content')?.schema;
    expect(content).toMatchObject({ 'x-telo-topology-role': 'steps', 'x-telo-provides-zone': true });
    const operation = (field: string) =>
      at('xmd', 'Profile').find(({ at: place }) => place === `Profile.operations[].${field}`)?.schema;
    expect(Object.keys(record(operation('inputs')?.['x-telo-context']))).toEqual(['props', 'content', 'effect']);
    expect(Object.keys(record(operation('result')?.['x-telo-context']))).toEqual(['result']);
    const beforehand = kinds.flatMap(({ library, name }) =>
      at(library, name).filter(({ schema }) => schema['x-telo-eval'] === 'compile'),
    );
    expect(beforehand.map(({ at: place }) => place).toSorted()).toEqual([
      'Journal.file',
      'Journal.key',
      'Profile.requests',
      'Profile.root',
    ]);
  });
});

const invocable = kinds.filter(({ definition }) => definition['capability'] === 'Telo.Invocable');

describe.each(invocable)('the invocable kind $library $name', ({ definition }) => {
  it('LB-05 says what it takes, answers and raises', () => {
    expect(inputSchema(definition, 'inputType')).toBeTypeOf('object');
    expect(inputSchema(definition, 'outputType')).toBeTypeOf('object');
    const codes = Object.entries(record(member(definition['throws'], 'codes')));
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter(([code]) => !/^[A-Z][A-Z0-9_]*$/.test(code))).toEqual([]);
    expect(codes.filter(([, stated]) => text(member(stated, 'description')) === '')).toEqual([]);
  });
});

describe('the codes of Xmd', () => {
  it('LB-05 are those that its source raises, no more and no fewer', () => {
    const raised = new Set(
      sourceFiles(['controllers/xmd'])
        .flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/\bERR_XMD_[A-Z_]+\b(?!_)/g) ?? [])
        .filter((code) => !code.endsWith('_')),
    );
    const declared = kinds
      .filter(({ library }) => library === 'xmd')
      .flatMap(({ definition }) => Object.keys(record(member(definition['throws'], 'codes'))));
    expect([...new Set(declared)].toSorted()).toEqual([...raised].toSorted());
  });
});

describe.each(kinds)('the page of $library $name', ({ library, definition, name }) => {
  const page = readFileSync(join(ROOT, 'manifests', library, 'docs', `${name.toLowerCase()}.md`), 'utf8');

  it('LB-06 names every field of the kind, and every code that it raises', () => {
    const fields = Object.keys(record(member(definition['schema'], 'properties')));
    const codes = Object.keys(record(member(definition['throws'], 'codes')));
    expect(fields.filter((field) => !page.includes(`\`${field}\``) && !page.includes(`\n${field}: `))).toEqual([]);
    expect(codes.filter((code) => !page.includes(code))).toEqual([]);
  });
});
