import type { FieldPath, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import { checkExpression, IMPORT_SCOPE } from './expressions.ts';
import type { ExpressionScope } from './expressions.ts';
import { suggestion } from './findings.ts';
import { exportList, isDefinition } from './kinds.ts';
import type { ResourceChecker } from './resource-check.ts';
import { APPLICATION, LIBRARY } from './root-schema.ts';
import { schemaProblems } from './schema-check.ts';
import { StepChecker } from './step-check.ts';

const STARTABLE = ['Telo.Runnable', 'Telo.Service'];

/** The module document: its closed schema, imports, exports and boot targets. Effect: on the findings. */
export function checkRoot(checker: ResourceChecker): void {
  const { module, findings } = checker;
  const { root } = module;
  const environment = module.kind === 'Telo.Library' ? environmentKeys(module) : [];
  for (const path of environment) {
    const message = 'A library reads no environment: its importer states the value';
    findings.add(root, { code: 'LIBRARY_ENV_KEY_REJECTED', message, path, atKey: true, hint: 'Remove env.' });
  }
  for (const problem of schemaProblems(module.kind === 'Telo.Library' ? LIBRARY : APPLICATION, root.fields)) {
    findings.add(root, { ...problem, code: 'SCHEMA_VIOLATION' });
  }
  checkDefaults(checker);
  checkImports(checker);
  checkExports(checker);
  checkTargets(checker);
}

function environmentKeys(module: LoadedModule): FieldPath[] {
  return ['variables', 'secrets'].flatMap((block) =>
    Object.entries(recordAt(module.root.fields, block))
      .filter(([, spec]) => isRecord(spec) && Object.hasOwn(spec, 'env'))
      .map(([name]) => [block, name, 'env']),
  );
}

function checkDefaults({ module, findings }: ResourceChecker): void {
  for (const block of ['variables', 'secrets']) {
    for (const [name, spec] of Object.entries(recordAt(module.root.fields, block))) {
      if (!isRecord(spec) || !Object.hasOwn(spec, 'default')) continue;
      const { default: value, env: _env, ...schema } = spec;
      for (const problem of schemaProblems(schema, value)) {
        const path = [block, name, 'default', ...problem.path];
        findings.add(module.root, {
          code: 'SCHEMA_VIOLATION',
          message: `The default does not fit: ${problem.message}`,
          path,
        });
      }
    }
  }
}

/** What an importer states must be declared by the library, and what the library cannot default must be stated. */
function checkImports({ module, findings }: ResourceChecker): void {
  const { root } = module;
  for (const { alias, target, variables, secrets } of module.imports.values()) {
    const path = ['imports', alias];
    for (const [block, stated] of Object.entries({ variables, secrets })) {
      const declared = target.kind === 'module' ? recordAt(target.module.root.fields, block) : {};
      for (const [name, value] of Object.entries(stated)) {
        const at = [...path, block, name];
        if (value instanceof Expression) checkExpression(module, root, at, value, IMPORT_SCOPE, findings);
        if (Object.hasOwn(declared, name)) continue;
        const message = `The library declares no ${block}.${name}`;
        const hint = suggestion(name, Object.keys(declared));
        findings.add(root, { code: 'SCHEMA_VIOLATION', message, path: at, atKey: true, hint });
      }
      for (const [name, spec] of Object.entries(declared)) {
        if (Object.hasOwn(stated, name) || (isRecord(spec) && Object.hasOwn(spec, 'default'))) continue;
        const message = `The import ${alias} must state ${block}.${name}: the library has no default for it`;
        findings.add(root, { code: 'SCHEMA_VIOLATION', message, path });
      }
    }
  }
}

function checkExports({ module, findings, lookup }: ResourceChecker): void {
  const { root } = module;
  for (const [index, entry] of (exportList(module, 'kinds') ?? []).entries()) {
    const found = lookup(module, entry.includes('.') ? entry : `Self.${entry}`);
    if (found.ok || found.silent === true) continue;
    findings.add(root, {
      code: 'UNRESOLVED_KIND',
      message: found.message,
      path: ['exports', 'kinds', index],
      hint: found.hint,
    });
  }
  const resources = module.documents.filter((document) => !isDefinition(document)).map((document) => document.name);
  for (const [index, entry] of (exportList(module, 'resources') ?? []).entries()) {
    if (entry.includes('.') ? module.imports.has(entry.slice(0, entry.indexOf('.'))) : resources.includes(entry))
      continue;
    const path = ['exports', 'resources', index];
    const message = `${module.name} has no resource ${entry} to export`;
    findings.add(root, { code: 'UNRESOLVED_REFERENCE', message, path, hint: suggestion(entry, resources) });
  }
}

function checkTargets(checker: ResourceChecker): void {
  const { root } = checker.module;
  const { targets } = root.fields;
  if (!Array.isArray(targets)) return;
  const scope: ExpressionScope = { roots: new Set(['steps']), steps: targetNames(targets) };
  for (const [index, target] of targets.entries()) checkTarget(checker, target, ['targets', index], scope);
}

function checkTarget(checker: ResourceChecker, target: unknown, path: FieldPath, scope: ExpressionScope): void {
  const { root } = checker.module;
  const slot = { kinds: STARTABLE, use: 'call' };
  if (typeof target === 'string') {
    checker.slot(root, path, new Reference(target, undefined, root.position(path)), slot, undefined);
  } else if (isRecord(target) && Object.hasOwn(target, 'ref')) {
    const { ref, when } = target;
    const written = typeof ref === 'string' ? new Reference(ref, undefined, root.position([...path, 'ref'])) : ref;
    checker.slot(root, [...path, 'ref'], written, slot, undefined);
    if (when instanceof Expression)
      checkExpression(checker.module, root, [...path, 'when'], when, scope, checker.findings);
  } else if (isRecord(target) && Object.hasOwn(target, 'invoke')) {
    const step = { name: `Target${String(path.at(-1))}`, ...target };
    new StepChecker(checker, root).single(step, path, scope);
  } else if (target instanceof Reference) {
    checker.slot(root, path, target, slot, undefined);
  } else {
    const message = 'A target must be a reference, a name, {ref, when} or a step with invoke';
    checker.findings.add(root, { code: 'SCHEMA_VIOLATION', message, path });
  }
}

function targetNames(targets: readonly unknown[]): Set<string> {
  return new Set(
    targets.map((target, index) =>
      isRecord(target) && typeof target['name'] === 'string' ? target['name'] : `Target${index}`,
    ),
  );
}

function recordAt(fields: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = fields[name];
  return isRecord(value) ? value : {};
}
