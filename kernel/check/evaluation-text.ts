import type { FieldPath, LoadedDocument, LoadedModule } from '../manifest/model.ts';
import { isRecord } from '../manifest/record.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import type { Findings } from './findings.ts';
import { isDefinition } from './kinds.ts';
import type { KindLookup } from './kinds.ts';
import { resolveReference } from './references.ts';
import { isStepList } from './bodies.ts';
import { walkConfiguration } from './schema-walk.ts';
import { bodiesOf } from './step-grammar.ts';

type Fields = Readonly<Record<string, unknown>>;

const EVALUATE = 'Xmd.Evaluate';
const CODE = 'EVALUATION_TEXT';
const HINT = 'State one text: in the resource, in the inputs of the step, or as the content that makes it.';

interface Site {
  readonly module: LoadedModule;
  readonly document: LoadedDocument;
  readonly lookup: KindLookup;
  readonly findings: Findings;
}

/**
 * Reports an Xmd.Evaluate that states both a text and `content`, or a `content` without a step, and a step that leaves one without a text or with two, as
 * far as both are written out. Effect: on `findings`.
 * @see kernel-specs/evaluate.md EV-19
 */
export function checkEvaluationTexts(module: LoadedModule, lookup: KindLookup, findings: Findings): void {
  for (const document of [module.root, ...module.documents]) {
    const site = { module, document, lookup, findings };
    const { targets } = document.fields;
    if (document === module.root && Array.isArray(targets)) checkSteps(site, targets, ['targets']);
    const kind = isDefinition(document) ? undefined : lookup(module, document.kind);
    if (kind?.ok !== true) continue;
    if (kind.kind.canonical === EVALUATE) checkOwn(site, document.fields, []);
    walkConfiguration(kind.kind.view.schema, document.fields, (value, place) => {
      if (!isStepList(value, place)) return true;
      checkSteps(site, value, place.path);
      return false;
    });
  }
}

function checkSteps(site: Site, steps: readonly unknown[], path: FieldPath): void {
  for (const [index, step] of steps.entries()) {
    if (!isRecord(step)) continue;
    const at = [...path, index];
    for (const body of bodiesOf(step, at)) if (Array.isArray(body.steps)) checkSteps(site, body.steps, body.path);
    const { invoke } = step;
    const called = evaluationOf(site, invoke);
    if (called === undefined) continue;
    if (!(invoke instanceof Reference)) checkOwn(site, called, [...at, 'invoke']);
    checkCall(site, { called, step, at });
  }
}

/** What an Evaluate states of itself, when `invoke` means one. */
function evaluationOf({ module, lookup }: Site, invoke: unknown): Fields | undefined {
  if (invoke instanceof Reference) {
    const found = resolveReference(module, invoke, lookup);
    return found.ok && found.target.kind.canonical === EVALUATE ? found.target.resource?.document.fields : undefined;
  }
  if (!isRecord(invoke) || typeof invoke['kind'] !== 'string') return undefined;
  const found = lookup(module, invoke['kind']);
  return found.ok && found.kind.canonical === EVALUATE ? invoke : undefined;
}

function checkOwn({ document, findings }: Site, { text, content }: Fields, at: FieldPath): void {
  const path = [...at, 'content'];
  if (Array.isArray(content) && content.length === 0) {
    const message = 'A content must have a step, whose result is the text';
    findings.add(document, { code: CODE, message, path, atKey: true, hint: HINT });
  }
  if (text === undefined || content === undefined) return;
  const message = 'An evaluation has either a text or content, not both';
  findings.add(document, { code: CODE, message, path, atKey: true, hint: HINT });
}

function checkCall(
  { document, findings }: Site,
  { called, step, at }: { readonly called: Fields; readonly step: Fields; readonly at: FieldPath },
): void {
  const { inputs = {} } = step;
  if (!isRecord(inputs) || inputs instanceof Expression) return;
  const [given, other] = ['text', 'source'].filter((name) => inputs[name] !== undefined);
  const own = ['text', 'content'].find((name) => called[name] !== undefined);
  if (given === undefined && own === undefined) {
    const message = 'This step evaluates, and neither it nor what it invokes states a text';
    findings.add(document, { code: CODE, message, path: at, hint: HINT });
  } else if (given !== undefined && (own !== undefined || other !== undefined)) {
    const message = `This step gives a text to an evaluation that has one already, as ${own ?? other}`;
    findings.add(document, { code: CODE, message, path: [...at, 'inputs', given], hint: HINT });
  }
}
