import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { editorSchema } from '../../../../kernel/check/editor-schema.ts';
import { moduleNames } from '../../../../kernel/check/kinds.ts';
import { builtinKinds } from '../../../../kernel/kinds/builtin.ts';
import { loadManifest } from '../../../../kernel/manifest/load.ts';
import { isRecord } from '../../../../kernel/manifest/record.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

function manifestsIn(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

const EXAMPLES = readdirSync(join(ROOT, 'manifests/examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `manifests/examples/${name}/telo.yaml`);
const MANIFESTS = [
  ...EXAMPLES,
  'manifests/xmd/telo.yaml',
  'manifests/durable-journal-sqlite/telo.yaml',
  ...manifestsIn('manifests/tests', '.yaml'),
  ...manifestsIn('tests/manifests/fixtures-check', '.good.yaml'),
];

/** The documents as an editor sees them: a tagged scalar is the text behind its tag. */
function documents(manifest: string): readonly unknown[] {
  const text = readFileSync(join(ROOT, manifest), 'utf8');
  return parseAllDocuments(text, { logLevel: 'silent' }).map((document): unknown => document.toJS());
}

async function schemaOf(manifest: string): Promise<object> {
  const { module } = await loadManifest(join(ROOT, manifest), { builtins: moduleNames(builtinKinds) });
  if (module === undefined) throw new Error(`${manifest} cannot be read`);
  return editorSchema(module, builtinKinds);
}

function problems(schema: object, values: readonly unknown[]): readonly unknown[] {
  const validate = new Ajv({ strict: false, allErrors: true, logger: false }).compile(schema);
  return values.flatMap((value) => (validate(value) ? [] : [validate.errors]));
}

describe('M-50 the schema for editors', () => {
  it.each(MANIFESTS)('M-50 admits every document of %s', async (manifest) => {
    expect(problems(await schemaOf(manifest), documents(manifest))).toEqual([]);
  });

  it('M-50 does not admit an unknown field, a wrong value or an unknown kind; the fields as they are, it does', async () => {
    const manifest = 'manifests/examples/release-notes/telo.yaml';
    const schema = await schemaOf(manifest);
    const profile = documents(manifest).find((one) => isRecord(one) && one['kind'] === 'Xmd.Profile');
    const of = (more: object): unknown => ({ ...(isRecord(profile) ? profile : {}), ...more });
    expect(problems(schema, [of({})])).toEqual([]);
    expect(problems(schema, [of({ rout: '.' })])).toHaveLength(1);
    expect(problems(schema, [of({ grants: ['all'] })])).toHaveLength(1);
    expect(problems(schema, [of({ kind: 'Xmd.Profil' })])).toHaveLength(1);
  });

  it('M-50 knows kinds under the names that the imports give them, and no others', async () => {
    const names = async (manifest: string): Promise<unknown> => {
      const schema = await schemaOf(manifest);
      const properties = isRecord(schema) ? schema['properties'] : undefined;
      const kind = isRecord(properties) ? properties['kind'] : undefined;
      return isRecord(kind) ? kind['enum'] : undefined;
    };
    const own = await names('manifests/tests/once-in-a-run.yaml');
    expect(own).toContain('Sqlite.Journal');
    expect(own).not.toContain('DurableJournalSqlite.Journal');
    expect(await names('manifests/examples/release-notes/telo.yaml')).toContain('DurableJournalSqlite.Journal');
  });
});
