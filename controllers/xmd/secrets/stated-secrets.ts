import { profileRefused } from '../errors.ts';

/** What of an evaluation is examined for secrets before it is recorded. */
export interface SecretsPolicy {
  /** The text of a fragment, and the requests of its policy. */
  readonly fragment: boolean;
  /** What Fetch and operations of the host answer, or fail with. */
  readonly responses: boolean;
  /** What is read from files. */
  readonly files: boolean;
  /** Rules that do not count here. */
  readonly allow: readonly string[];
}

const PLACES = ['fragment', 'responses', 'files'] as const;
const DEFAULT: SecretsPolicy = { fragment: true, responses: true, files: false, allow: [] };

/**
 * Reads what a profile states as `secrets`: one word for everything, or one for each place. Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 * @see kernel-specs/secrets.md SC-01
 */
export function readSecretsPolicy(value: unknown): SecretsPolicy {
  if (value === undefined) return DEFAULT;
  if (value === 'refuse' || value === 'off') {
    const all = value === 'refuse';
    return { fragment: all, responses: all, files: all, allow: [] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused();
  const stated = new Map<string, unknown>(Object.entries(value));
  const word = (place: (typeof PLACES)[number]): boolean => {
    const one = stated.get(place);
    if (one === undefined) return DEFAULT[place];
    if (one !== 'refuse' && one !== 'off') throw refused();
    return one === 'refuse';
  };
  const known: ReadonlySet<string> = new Set([...PLACES, 'allow']);
  const allow: unknown = stated.get('allow') ?? [];
  const isList = Array.isArray(allow) && allow.every((rule): rule is string => typeof rule === 'string');
  if (!isList || [...stated.keys()].some((name) => !known.has(name))) throw refused();
  return { fragment: word('fragment'), responses: word('responses'), files: word('files'), allow };
}

function refused(): Error {
  return profileRefused(
    'secrets',
    'its secrets are not what can be examined',
    'State secrets as refuse or off, or for each of fragment, responses and files, with allow as a list of rules.',
  );
}
