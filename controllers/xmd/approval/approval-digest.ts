import { hash } from 'node:crypto';
import { canonicalJson } from '../values/canonical-json.ts';
import type { JsonObject } from '../values/json.ts';
import type { Target } from './target.ts';
import { targetJson } from './target.ts';

/** What a fragment says and under which policy: all that is approved besides the files it would change. */
export interface Statement {
  readonly text: string;
  readonly policy: JsonObject;
  /** The elements in authored order, each as its number in `policy.allowed`, which holds its identity. */
  readonly named: readonly number[];
}

/** Version of what is digested. */
const VERSION = 1;

const DIGEST = /^sha256:[0-9a-f]{64}\.[0-9a-f]{64}$/;

/**
 * The digest of exactly what would be done: `sha256:` of everything, a dot, and the same of the statement alone, by which
 * another statement is told from a file that moved.
 *
 * Pure.
 *
 * @see docs/adr/0065-approval-digest.md
 */
export function approvalDigest(statement: Statement, targets: readonly Target[]): string {
  const { text, policy, named } = statement;
  const whole = { version: VERSION, text, policy, named: [...named], targets: targets.map(targetJson) };
  return `sha256:${sha256(whole)}.${statementDigest(statement)}`;
}

/** Whether an approved digest is one of this statement, whatever its targets are. Pure. */
export function isOfStatement(approved: string, statement: Statement): boolean {
  return approved.slice(approved.indexOf('.') + 1) === statementDigest(statement);
}

/** Whether a value has the shape of a digest. Pure. */
export function isApprovalDigest(value: unknown): value is string {
  return typeof value === 'string' && DIGEST.test(value);
}

function statementDigest({ text, policy, named }: Statement): string {
  return sha256({ version: VERSION, text, policy, named: [...named] });
}

function sha256(value: JsonObject): string {
  return hash('sha256', canonicalJson(value), 'hex');
}
