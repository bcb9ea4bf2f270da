import type { Diagnostic, FieldPath, LoadedDocument, LoadedModule } from './model.ts';
import { nameProblem, startsUpper } from './names.ts';
import { isRecord } from './record.ts';

/** Kinds whose resources are named like types. */
const TYPE_DOCUMENTS = new Set(['Telo.Definition', 'Telo.Abstract', 'Telo.JsonSchema']);

/** Names of the module, its imports, variables and resources: shape, case of types, duplicates. Pure. */
export function checkNames(module: LoadedModule): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (document: LoadedDocument, at: FieldPath, code: string, message: string): void => {
    const isName = at[0] === 'metadata';
    const position = (isName ? undefined : document.keyPosition?.(at)) ?? document.position(at);
    found.push({ severity: 'error', code, message, position, resource: `${document.kind}/${document.name}` });
  };
  const check = (document: LoadedDocument, at: FieldPath, name: string, type: boolean): void => {
    const problem = nameProblem(name);
    if (problem !== undefined) report(document, at, 'INVALID_NAME', problem);
    else if (type && !startsUpper(name)) {
      report(document, at, 'INVALID_TYPE_NAME', `Name '${name}' must start with an upper-case letter`);
    }
  };
  check(module.root, ['metadata', 'name'], module.name, true);
  for (const alias of keysOf(module.root.fields['imports'])) check(module.root, ['imports', alias], alias, true);
  for (const block of ['variables', 'secrets', 'ports']) {
    for (const name of keysOf(module.root.fields[block])) check(module.root, [block, name], name, false);
  }
  const seen = new Map<string, LoadedDocument>();
  for (const document of module.documents) {
    check(document, ['metadata', 'name'], document.name, TYPE_DOCUMENTS.has(document.kind));
    const scope = document.kind === 'Telo.Definition' || document.kind === 'Telo.Abstract' ? 'kind' : 'resource';
    const first = seen.get(`${scope}/${document.name}`);
    if (first === undefined) seen.set(`${scope}/${document.name}`, document);
    else {
      const { file, line } = first.position(['metadata', 'name']);
      const where = file === document.position().file ? `line ${line}` : `${file}:${line}`;
      const message = `The name ${document.name} is used twice, first at ${where}`;
      report(document, ['metadata', 'name'], 'DUPLICATE_RESOURCE_NAME', message);
    }
  }
  return found;
}

function keysOf(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value) : [];
}
