import { codeOf, InvokeError, isInvokeError } from '@telorun/sdk';
import type { Position } from '../manifest/model.ts';

interface Source {
  readonly source: string;
  readonly position: Position;
}

/** What an evaluation raises: the engine's message, and what was there when a key was missing. Pure. */
export function expressionFailure(
  { source, position }: Source,
  scope: Readonly<Record<string, unknown>>,
  error: unknown,
): Error {
  if (codeOf(error) === 'ERR_CEL_LIMIT' && isInvokeError(error)) return limitFailure(source, position, error);
  const summary = summaryOf(error);
  const message = `Expression \${{ ${source} }} failed: ${summary}`;
  const detail = missingKey(error, summary, scope) ?? arithmeticHint(summary);
  return new Error(detail === undefined ? message : `${message}\n${detail}`, { cause: error });
}

/** The refusal of a spent budget, with the place of the expression in its manifest. */
function limitFailure(source: string, { line, column }: Position, { code, message, data }: InvokeError): InvokeError {
  const shown = source.length > 200 ? `${source.slice(0, 200)}...` : source;
  const detail = typeof data === 'object' ? { ...data, line, column } : { line, column };
  return new InvokeError(code, `Expression \${{ ${shown} }} failed: ${message}`, detail);
}

/** The engine's message without its picture of the source. Pure. */
export function summaryOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const summary = 'summary' in error && typeof error.summary === 'string' ? error.summary : error.message;
  return summary.replaceAll('guardedMatches', 'matches');
}

/** Names the key that is not there, and up to twenty that are. */
function missingKey(error: unknown, summary: string, scope: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = /^Unknown variable: (.+)$/.exec(summary)?.[1];
  if (unknown !== undefined) return `No variable '${unknown}' here. Available: ${listed(Object.keys(scope))}`;
  const key = /^No such key: (.+)$/.exec(summary)?.[1];
  if (key === undefined || key.startsWith('index out of bounds')) return undefined;
  const owner = ownerOf(error, scope);
  if (owner === undefined) return `Missing key '${key}'.`;
  return `Missing key '${key}' in ${owner.path}. Available: ${listed(owner.keys)}`;
}

/** Follows the plain member chain to the left of the failed access; undefined for anything computed. */
function ownerOf(
  error: unknown,
  scope: Readonly<Record<string, unknown>>,
): { path: string; keys: string[] } | undefined {
  const node: unknown = typeof error === 'object' && error !== null && 'node' in error ? error.node : undefined;
  const chain = memberChain(node);
  if (chain === undefined || chain.length < 2) return undefined;
  let value: unknown = scope;
  const walked: string[] = [];
  for (const name of chain) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) break;
    value = Reflect.get(value, name);
    walked.push(name);
  }
  if (walked.length === 0 || walked.length === chain.length) return undefined;
  if (value === null || value === undefined) return { path: `${walked.join('.')}, which is null`, keys: [] };
  return typeof value === 'object' && !Array.isArray(value)
    ? { path: walked.join('.'), keys: Object.keys(value) }
    : undefined;
}

function memberChain(node: unknown): string[] | undefined {
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return undefined;
  if (node.op === 'id' && typeof node.args === 'string') return [node.args];
  if ((node.op !== '.' && node.op !== '[]') || !Array.isArray(node.args)) return undefined;
  const [left, right]: unknown[] = node.args;
  const name = typeof right === 'string' ? right : literalText(right);
  const chain = memberChain(left);
  return chain === undefined || name === undefined ? undefined : [...chain, name];
}

function literalText(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return undefined;
  return node.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}

function listed(keys: readonly string[]): string {
  if (keys.length === 0) return '(nothing)';
  const shown = keys.slice(0, 20).join(', ');
  return keys.length > 20 ? `${shown}, and ${keys.length - 20} more` : shown;
}

/** Manifest and JSON numbers are doubles; a literal without a point is an int; the two do not mix in arithmetic. */
function arithmeticHint(summary: string): string | undefined {
  const found = /^no such overload: (?:dyn<)?(double|int)>? ([-+*/%]) (?:dyn<)?(double|int)>?$/.exec(summary);
  if (found === null || found[1] === found[3]) return undefined;
  return 'Numbers from YAML and JSON are doubles: write the literal with a point (1.0), or convert with int(...).';
}
