import { readRecord } from './admission/read-record.ts';
import { isMembers } from './admission/shape.ts';
import type { Form } from './fragment/fragment.ts';
import { checkText } from './preflight/check.ts';
import type { JsonObject } from './values/json.ts';
import { hostOperation } from './vocabulary/host-operation.ts';
import { readLimits } from './vocabulary/limits.ts';
import type { Operation } from './vocabulary/operation.ts';
import { readRequestLimits } from './vocabulary/request-limits.ts';
import { standardOperations } from './vocabulary/standard.ts';
import { readPathLimits } from './vocabulary/stated-paths.ts';

/** One element of an admitted fragment, for a person who looks at its record. */
export interface OutlinedElement {
  readonly name: string;
  readonly form: Form;
  /** Step path below the evaluation. */
  readonly path: string;
  /** What it was asked to do: the path of a file, the request of a Fetch, or the props of a host operation. */
  readonly input: JsonObject;
}

/**
 * Lists the elements of a recorded admission in authored order, from the record alone.
 *
 * Pure. Nothing may be performed after it: grants, identities and props are not compared with anything. Answers
 * undefined for a refusal, for a record of version 1, and for a text that this version reads differently.
 *
 * @throws InvokeError ERR_XMD_RECORD_UNREADABLE
 */
export function outlineAdmission(record: unknown): readonly OutlinedElement[] | undefined {
  if (!isMembers(record) || record['version'] !== 2) return undefined;
  const admission = readRecord(record, 'generated_xmd');
  if (admission.decision !== 'admitted') return undefined;
  const { text, policy } = admission;
  const requests = readRequestLimits(policy['requests']);
  const entries = operationsOf(policy['allowed'], standardOperations(requests));
  const verdict = checkText(
    text,
    {
      allow: ['read', 'write'],
      entries,
      requests,
      addresses: [],
      paths: readPathLimits(policy['paths']),
      has: (name) => entries.some((entry) => entry.name === name),
      lookup: (name, form) => entries.find((entry) => entry.name === name && entry.form === form),
    },
    readLimits(policy['limits']),
  );
  if (!verdict.ok) return undefined;
  return verdict.value.effects.map(({ operation, segment, input }) => {
    const { name, form } = operation;
    return { name, form, path: segment, input };
  });
}

function operationsOf(allowed: unknown, standard: readonly Operation[]): readonly Operation[] {
  if (!Array.isArray(allowed)) return [];
  return allowed.flatMap((entry: unknown) => {
    if (!isMembers(entry) || !isMembers(entry['identity']) || !Array.isArray(entry['forms'])) return [];
    const name = String(entry['name']);
    const hosted = entry['identity']['kind'] === 'host';
    return entry['forms'].flatMap((form: unknown) =>
      hosted
        ? [hostStub(name, form === 'paired' ? 'paired' : 'self-closing')]
        : standard.filter((operation) => operation.name === name && operation.form === form),
    );
  });
}

function hostStub(name: string, form: Form): Operation {
  const content = form === 'paired' ? 'text' : 'none';
  return hostOperation(
    { name, form, grant: 'read', revision: '', content },
    { target: { module: '', kind: '', name }, compileProps: () => () => true },
  );
}
