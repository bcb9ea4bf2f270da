import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import type { Expression } from '../manifest/tagged.ts';
import { isDefinition } from './kinds.ts';
import { suggestion } from './findings.ts';
import type { Findings } from './findings.ts';

/** What the expressions of one place can read. */
export interface ExpressionScope {
  /** Root variables beside those every expression has; undefined when the place does not say. */
  readonly roots: ReadonlySet<string> | undefined;
  /** What every expression has, where it is less than all of that. */
  readonly module?: readonly string[];
  /** Members of `steps`; undefined when not known. */
  readonly steps?: ReadonlySet<string>;
  /** Members of `inputs`; undefined when not known. */
  readonly inputs?: ReadonlySet<string>;
  /** Members of `resources` beside those of the module: what lives around the place. */
  readonly scoped?: readonly string[];
  /** Members of `self`, or that they are not known. Absent outside of templates. */
  readonly self?: ReadonlySet<string> | 'any';
}

const MODULE_ROOTS = ['variables', 'secrets', 'resources', 'ports', 'module'];
/** Roots that some place of the language defines. A place that states no context may have any of them. */
const CONTEXT_ROOTS = 'inputs steps error item index items iteration previous self request result arguments this'.split(
  ' ',
);

/** What the inputs of an import see: they are read before anything is live or bound to a port. */
export const IMPORT_SCOPE: ExpressionScope = { roots: new Set(), module: ['variables', 'secrets', 'module'] };

/** Reports reads of variables that are not there, and of members that are known not to be. Effect: on `findings`. */
export function checkExpression(
  module: LoadedModule,
  document: LoadedDocument,
  path: FieldPath,
  expression: Expression,
  scope: ExpressionScope,
  findings: Findings,
): void {
  const fault = expression.fault();
  if (fault !== undefined) {
    const message = `The expression cannot be evaluated: ${fault}`;
    findings.add(document, { code: 'CEL_TYPE_ERROR', message, path, position: expression.position });
  }
  const reported = new Set<string>();
  const self = scope.self === undefined ? [] : ['self'];
  const allowed = [...(scope.module ?? MODULE_ROOTS), ...(scope.roots ?? CONTEXT_ROOTS), ...self];
  for (const [root, member] of expression.reads) {
    if (root === undefined) continue;
    const once = (code: string, name: string, message: string, known: readonly string[]): void => {
      if (reported.has(name)) return;
      reported.add(name);
      const hint = suggestion(member ?? root, known);
      findings.add(document, { code, message, path, hint, position: expression.position });
    };
    if (!allowed.includes(root)) {
      once('CEL_UNKNOWN_VARIABLE', root, `There is no variable '${root}' here`, allowed);
      continue;
    }
    const known = member === undefined ? undefined : membersOf(root, module, scope);
    if (member === undefined || known === undefined || known.has(member)) continue;
    once('CEL_UNKNOWN_FIELD', `${root}.${member}`, unknownMember(root, member), [...known]);
  }
}

function unknownMember(root: string, member: string): string {
  if (root === 'steps') return `There is no step '${member}' in this body`;
  return `'${root}' has no '${member}'`;
}

function membersOf(root: string, module: LoadedModule, scope: ExpressionScope): ReadonlySet<string> | undefined {
  switch (root) {
    case 'variables':
    case 'secrets':
    case 'ports': {
      const declared = module.root.fields[root];
      return new Set(isRecord(declared) ? Object.keys(declared) : []);
    }
    case 'resources':
      return new Set([
        ...module.documents.filter((document) => !isDefinition(document)).map((document) => document.name),
        ...module.imports.keys(),
        ...(scope.scoped ?? []),
      ]);
    case 'steps':
      return scope.steps;
    case 'inputs':
      return scope.inputs;
    case 'self':
      return scope.self === 'any' ? undefined : scope.self;
    default:
      return undefined;
  }
}
