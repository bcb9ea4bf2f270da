import { InvokeError, isInvokeError } from '@telorun/sdk';
import { profileRefused } from '../errors.ts';
import type { JsonObject } from '../values/json.ts';
import type { Operation } from '../vocabulary/operation.ts';
import type { Scanner, SecretFinding } from './scanner.ts';
import { loadScanner } from './scanner.ts';
import type { SecretsPolicy } from './stated-secrets.ts';
import { valueText } from './value-text.ts';

/** A secret that keeps a fragment from being admitted: in its text, or in the policy that would be recorded with it. */
export interface AdmissionSecret extends SecretFinding {
  readonly within: 'text' | 'policy';
}

/** Examines what one evaluation is about to record. */
export interface Examiner {
  /** What keeps a fragment from being admitted. Pure. */
  fragment(text: string, policy: JsonObject): AdmissionSecret | undefined;
  /** Effect: none. @throws InvokeError ERR_XMD_SECRET when the value of an effect holds a secret */
  value(operation: Operation, effect: string, value: unknown): void;
  /** The error to go on with: the one given, or one that says nothing of it where it holds a secret. Pure. */
  failure(operation: Operation, effect: string, error: unknown): unknown;
}

const NOTHING: Examiner = { fragment: () => undefined, value: () => undefined, failure: (_o, _e, error) => error };

/**
 * What examines under a policy. Effect: loads the rules when something is to be examined.
 *
 * @throws InvokeError ERR_XMD_PROFILE for an allowed rule that there is none of
 * @see kernel-specs/secrets.md SC-10
 */
export async function openExaminer(policy: SecretsPolicy): Promise<Examiner> {
  if (!policy.fragment && !policy.responses && !policy.files) return NOTHING;
  const scanner = await loadScanner();
  if (policy.allow.some((rule) => !scanner.rules.includes(rule))) {
    throw profileRefused(
      'secrets',
      'it allows a rule for secrets that there is none of',
      'Correct the id of the rule.',
    );
  }
  return examinerOf(policy, scanner);
}

function examinerOf({ fragment, responses, files, allow }: SecretsPolicy, scanner: Scanner): Examiner {
  const find = (text: string): SecretFinding | undefined => scanner.scan(text, allow);
  // What a standard operation other than Fetch answers comes from a file.
  const examines = ({ origin, name }: Operation): boolean =>
    origin === 'host' || name === 'Fetch' ? responses : files;
  return {
    fragment: (text, policy) => (fragment ? (within('text', find(text)) ?? inPolicy(policy, find)) : undefined),
    value: (operation, effect, value) => {
      const found = examines(operation) ? find(valueText(value)) : undefined;
      if (found !== undefined) throw secretInEffect(effect, found);
    },
    failure: (operation, effect, error) => {
      const found = examines(operation) ? find(failureText(error)) : undefined;
      return found === undefined ? error : secretInEffect(effect, found);
    },
  };
}

function inPolicy(policy: JsonObject, find: (text: string) => SecretFinding | undefined): AdmissionSecret | undefined {
  const { requests, root } = policy;
  return within('policy', find(valueText({ requests, root })));
}

function within(place: AdmissionSecret['within'], found: SecretFinding | undefined): AdmissionSecret | undefined {
  return found === undefined ? undefined : { ...found, within: place };
}

function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return isInvokeError(error) ? `${error.code}\n${message}\n${valueText(error.data)}` : message;
}

/** The refusal of a fragment for a secret: rule and position, never a word of it. Pure. */
export function secretRefused({ within: place, rule, line, column }: AdmissionSecret): InvokeError {
  const where = place === 'text' ? `its text, line ${String(line)}, column ${String(column)}` : 'its policy';
  return new InvokeError('ERR_XMD_SECRET', `Cannot admit the fragment: ${where} looks like a secret (${rule})`, {
    within: place,
    rule,
    line,
    column,
    hint: 'Keep the secret out of the text, or let the profile allow the rule where it is mistaken.',
  });
}

function secretInEffect(effect: string, { rule, line, column }: SecretFinding): InvokeError {
  return new InvokeError('ERR_XMD_SECRET', `Cannot record what "${effect}" came to: it holds a secret (${rule})`, {
    effect,
    rule,
    line,
    column,
    hint: 'Keep the secret out of what the operation answers, or let the profile allow the rule where it is mistaken.',
  });
}
