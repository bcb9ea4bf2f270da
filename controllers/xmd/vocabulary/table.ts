import { profileRefused } from '../errors.ts';
import type { Form } from '../fragment/fragment.ts';
import { narrowAllow } from './allow.ts';
import type { AddressRange } from '../values/address.ts';
import type { PathLimits } from '../values/path-limits.ts';
import { DEFAULT_PATH_LIMITS } from '../values/path-limits.ts';
import type { RequestLimit } from '../values/request-limit.ts';
import type { Grant, Operation } from './operation.ts';
import { isElementName, isReservedName } from './reserved.ts';
import { standardOperations } from './standard.ts';

/** The exact entries that profile and allow select: name and form, one operation each. */
export interface Table {
  readonly allow: readonly Grant[];
  /** Read entries before write entries, standard ones before the host's, the host's as stated. */
  readonly entries: readonly Operation[];
  /** What Fetch may ask for, and the addresses it may reach although they are not public; empty where it is not selected. */
  readonly requests: readonly RequestLimit[];
  readonly addresses: readonly AddressRange[];
  readonly paths: PathLimits;
  /** Whether `name` is admitted in any form. */
  has(name: string): boolean;
  lookup(name: string, form: Form): Operation | undefined;
}

/** What a profile states, and how far its author narrows it. */
export interface TableOptions {
  /** Grants of the profile. */
  readonly grants: readonly Grant[];
  /** Host operations of the profile. */
  readonly operations?: readonly Operation[];
  /** Requests of the profile; without one there is no Fetch. */
  readonly requests?: readonly RequestLimit[];
  readonly addresses?: readonly AddressRange[];
  readonly paths?: PathLimits;
  readonly allow: readonly Grant[];
}

/**
 * Builds the table of one evaluation.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_INPUT when `allow` is wider than `grants`.
 * @throws InvokeError ERR_XMD_PROFILE for a host operation whose name is reserved, is none, or is stated twice.
 * @see E3
 */
export function buildTable(options: TableOptions): Table {
  const allow = narrowAllow(options.allow, options.grants);
  const { operations = [], requests = [], addresses = [], paths = DEFAULT_PATH_LIMITS } = options;
  checkNames(operations);
  const all = [...standardOperations(requests), ...operations];
  const selected = allow.flatMap((grant) => all.filter((operation) => operation.grant === grant));
  const byName = new Map<string, Map<Form, Operation>>();
  for (const operation of selected) {
    const forms = byName.get(operation.name) ?? new Map<Form, Operation>();
    byName.set(operation.name, forms.set(operation.form, operation));
  }
  const fetches = byName.has('Fetch');
  return Object.freeze({
    allow,
    entries: Object.freeze(selected),
    requests: fetches ? requests : [],
    addresses: fetches ? addresses : [],
    paths,
    has: (name: string) => byName.has(name),
    lookup: (name: string, form: Form) => byName.get(name)?.get(form),
  });
}

/** Every stated operation is checked, also one that `allow` does not select. */
function checkNames(operations: readonly Operation[]): void {
  const seen = new Set<string>();
  for (const { name, form } of operations) {
    if (!isElementName(name)) {
      throw profileRefused(
        'operation-name',
        `"${name}" is no element name`,
        'Name an operation with letters and digits, each part from a capital on.',
      );
    }
    if (isReservedName(name)) {
      throw profileRefused('operation-name', `"${name}" is a name of its own`, 'Give the operation another name.');
    }
    if (seen.has(`${name} ${form}`)) {
      throw profileRefused('operation-name', `"${name}" is stated twice as ${form}`, 'State each operation once.');
    }
    seen.add(`${name} ${form}`);
  }
}
