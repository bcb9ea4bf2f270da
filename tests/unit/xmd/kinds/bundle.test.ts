import { isBuiltin } from 'node:module';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** The runtime names of SDK 0.80, as its users know them. */
const SDK_0_80 = new Set([
  'durableHandleOf',
  'stepPath',
  'parkRun',
  'assertMaySuspend',
  'isSuspension',
  'latchedSuspension',
  'assertNotSwallowed',
  'journalingSuppressed',
  'collapsesJournalEntries',
  'assertJournalable',
  'encodeDurableTarget',
  'decodeDurableTarget',
  'deriveContext',
  'createCancellationSource',
  'isCancellationError',
  'UNCANCELLABLE_CONTEXT',
  'NEVER_CANCELLED',
  'InvokeError',
  'isInvokeError',
  'RuntimeError',
  'getRefIdentity',
  'resolveRefInstance',
  'resolveInvocableDispatcher',
  'StepEngine',
  'executeInvokeStep',
  'toSequenceError',
  'parseDurationMs',
  'tryParseDurationMs',
  'integerInput',
  'encodeJsonValue',
  'decodeJsonValue',
  'Stream',
  'SEVERITY',
  'SUSPENDING_BACKOFF_MS',
]);

let folder: string;
let metafile: Metafile;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'xmd-bundle-'));
  ({ metafile } = await bundle(join(ROOT, 'controllers/xmd/index.ts'), join(folder, 'xmd.mjs')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Built as build.mjs and a Telo kernel build it. */
function bundle(entry: string, outfile: string) {
  return build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['@telorun/sdk'],
    metafile: true,
    logLevel: 'silent',
  });
}

function externals(file: Metafile): string[] {
  return Object.values(file.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
}

/** Every name that a bundle takes from the SDK. */
function sdkNames(source: string): string[] {
  const imports = source.matchAll(/import\s*\{([^}]*)\}\s*from\s*"@telorun\/sdk";/g);
  return [...imports].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().split(/\s+as\s+/)[0] ?? '')
      .filter((name) => name !== ''),
  );
}

describe('the built bundle', () => {
  it('S10 imports nothing but Node built-ins and the SDK', () => {
    const foreign = externals(metafile).filter((path) => path !== '@telorun/sdk' && !isBuiltin(path));
    expect(foreign).toEqual([]);
  });

  it('S10 takes only names from the SDK that SDK 0.80 exports', () => {
    const source = readFileSync(join(folder, 'xmd.mjs'), 'utf8');
    const names = sdkNames(source);

    expect(names).toContain('InvokeError');
    expect(names.filter((name) => !SDK_0_80.has(name))).toEqual([]);
    // Every mention of the SDK is one of the imports that were read.
    expect(source.match(/"@telorun\/sdk/g)).toHaveLength(source.match(/from "@telorun\/sdk";/g)?.length ?? 0);
    expect(source).not.toMatch(/import\s*\*\s*as\s+\w+\s*from\s*"@telorun\/sdk"/);
  });

  it('S10 would say so: a name of ours is found in a bundle that takes it', async () => {
    const entry = join(folder, 'liar.ts');
    writeFileSync(entry, "import { assertFaithful } from '@telorun/sdk';\nexport const liar = assertFaithful;\n");
    await bundle(entry, join(folder, 'liar.mjs'));
    const names = sdkNames(readFileSync(join(folder, 'liar.mjs'), 'utf8'));

    expect(names.filter((name) => !SDK_0_80.has(name))).toEqual(['assertFaithful']);
  });
});

describe('the library manifest', () => {
  const documents = parseAllDocuments(readFileSync(join(ROOT, 'manifests/xmd/telo.yaml'), 'utf8')).map(
    (document): Record<string, unknown> => document.toJS(),
  );
  const [library, ...definitions] = documents;

  it('E13 exports exactly the kinds that it defines, each with a controller of the bundle', async () => {
    const door: Record<string, unknown> = await import('../../../../controllers/xmd/index.ts');
    const names = definitions.map(({ metadata }) => nameOf(metadata));

    expect(library).toMatchObject({ kind: 'Telo.Library', exports: { kinds: names.toSorted() } });
    expect(Object.keys(door).toSorted()).toEqual(names.toSorted());
    for (const { metadata, controllers } of definitions) {
      expect(controllers).toEqual([
        `pkg:telo/local/js?path=./dist/xmd.mjs&local_path=../../controllers/xmd/index.ts#${nameOf(metadata)}`,
      ]);
    }
  });

  it('E13 documents every code that the module raises', async () => {
    const { XMD_CODES } = await import('../../../../controllers/xmd/errors.ts');
    const evaluate = definitions.find(({ metadata }) => nameOf(metadata) === 'Evaluate');
    const { codes } = Object(evaluate?.['throws']);
    expect(Object.keys(codes).toSorted()).toEqual([...XMD_CODES].toSorted());
  });

  it('E13 titles and describes every field of every kind', () => {
    const bare = definitions.flatMap((definition) =>
      [definition['schema'], Object(definition['inputType']).schema, Object(definition['outputType']).schema].flatMap(
        (schema) => undescribed(schema, nameOf(definition['metadata'])),
      ),
    );
    expect(bare).toEqual([]);
  });
});

function nameOf(metadata: unknown): string {
  return String(Object(metadata).name);
}

/** Fields below a schema that lack a title or a description. */
function undescribed(schema: unknown, at: string): string[] {
  const { properties = {}, items } = Object(schema);
  const own = Object.entries(Object(properties)).flatMap(([name, field]) => {
    const { title, description } = Object(field);
    const below = undescribed(field, `${at}.${name}`);
    return title === undefined || description === undefined ? [`${at}.${name}`].concat(below) : below;
  });
  return [...own, ...(items === undefined ? [] : undescribed(items, `${at}[]`))];
}
