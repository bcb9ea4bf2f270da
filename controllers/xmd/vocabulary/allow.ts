import { inputRefused, profileRefused } from '../errors.ts';
import type { Grant } from './operation.ts';

const ORDER: readonly Grant[] = ['read', 'write'];

/**
 * Reads what an author allows: a non-empty list of `read` and `write` without repeats; left out it is `read`.
 *
 * Pure. Answers it in the order read, write.
 *
 * @throws InvokeError ERR_XMD_INPUT
 */
export function readAllow(value: unknown): readonly Grant[] {
  const allow = value === undefined ? grantsOf(['read']) : grantsOf(value);
  if (allow === undefined) {
    throw inputRefused(
      'allow',
      'allow is not a non-empty list of read and write without repeats',
      'State allow as [read], [write] or [read, write].',
    );
  }
  return allow;
}

/**
 * Reads the grants of a profile: as `readAllow`, and never left out.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 */
export function readGrants(value: unknown): readonly Grant[] {
  const grants = grantsOf(value);
  if (grants === undefined) {
    throw profileRefused(
      'grants',
      'its grants are not a non-empty list of read and write without repeats',
      'State grants as [read], [write] or [read, write].',
    );
  }
  return grants;
}

/**
 * Answers `allow` when it asks for nothing beyond `ceiling`.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_INPUT
 */
export function narrowAllow(allow: readonly Grant[], ceiling: readonly Grant[]): readonly Grant[] {
  if (!allow.every((grant) => ceiling.includes(grant))) {
    throw inputRefused(
      'allow',
      `allow [${allow.join(', ')}] is wider than [${ceiling.join(', ')}]`,
      'Allow no more than the resource and its profile do.',
    );
  }
  return allow;
}

function grantsOf(value: unknown): readonly Grant[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size !== value.length) {
    return undefined;
  }
  const known = ORDER.filter((grant) => value.includes(grant));
  return known.length === value.length ? Object.freeze(known) : undefined;
}
