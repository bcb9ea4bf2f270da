import { InvokeError } from './invoke-error.ts';
import { isStream } from './stream.ts';

/** Containers nested deeper than this cannot be kept: readers of a journal recurse. */
const JOURNAL_DEPTH_MAX = 1_000;

interface Fault {
  readonly valueType: string;
  readonly at: string;
}

interface Walk {
  readonly strict: boolean;
  readonly ancestors: object[];
}

function classOf(value: object): string {
  const constructor: unknown = Reflect.get(value, 'constructor');
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'object';
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function fault(valueType: string): Fault {
  return { valueType, at: '' };
}

function below(found: Fault, segment: string): Fault {
  return { valueType: found.valueType, at: `${segment}${found.at}` };
}

function memberSegment(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function inArray(values: readonly unknown[], walk: Walk): Fault | undefined {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (value === undefined && walk.strict) return { valueType: 'undefined', at: `[${index}]` };
    const found = inValue(value, walk);
    if (found !== undefined) return below(found, `[${index}]`);
  }
  return undefined;
}

function inMembers(value: object, walk: Walk): Fault | undefined {
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'string' || typeof member === 'boolean' || member === null) continue;
    const found = inValue(member, walk);
    if (found !== undefined) return below(found, memberSegment(key));
  }
  return undefined;
}

function inContainer(value: object, walk: Walk): Fault | undefined {
  const { ancestors } = walk;
  if (ancestors.includes(value)) return fault('cycle');
  if (ancestors.length >= JOURNAL_DEPTH_MAX) return fault(`nesting deeper than ${JOURNAL_DEPTH_MAX}`);
  ancestors.push(value);
  const found = Array.isArray(value) ? inArray(value, walk) : inMembers(value, walk);
  ancestors.pop();
  return found;
}

function inObject(value: object, walk: Walk): Fault | undefined {
  if (isStream(value)) return fault('Stream');
  const toJson: unknown = Reflect.get(value, 'toJSON');
  if (typeof toJson === 'function') return inConverted(value, walk);
  if (Array.isArray(value) || isPlain(value)) return inContainer(value, walk);
  return walk.strict ? fault(classOf(value)) : undefined;
}

// What `toJSON` throws belongs to the value: it is the reason why the value cannot be kept.
function inConverted(value: object & { toJSON?: unknown }, walk: Walk): Fault | undefined {
  if (walk.ancestors.length >= JOURNAL_DEPTH_MAX) return fault(`nesting deeper than ${JOURNAL_DEPTH_MAX}`);
  if (value instanceof Date) return walk.strict && Number.isNaN(value.getTime()) ? fault('Date') : undefined;
  let converted: unknown;
  try {
    converted = typeof value.toJSON === 'function' ? Reflect.apply(value.toJSON, value, ['']) : undefined;
  } catch (error) {
    return fault(`${classOf(value)} (toJSON: ${error instanceof Error ? error.message : String(error)})`);
  }
  if (converted === value) return inContainer(value, walk);
  walk.ancestors.push(value);
  const found = inValue(converted, walk);
  walk.ancestors.pop();
  return found;
}

function inValue(value: unknown, walk: Walk): Fault | undefined {
  if (typeof value === 'object') return value === null ? undefined : inObject(value, walk);
  if (!walk.strict) return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : fault(String(value));
  return typeof value === 'function' || typeof value === 'symbol' ? fault(typeof value) : undefined;
}

function refuse({ valueType, at }: Fault, where: { readonly run: string; readonly path: string }): never {
  const place = at === '' ? 'the value itself' : `its ${at.startsWith('.') ? at.slice(1) : at}`;
  throw new InvokeError(
    'ERR_DURABLE_UNJOURNALABLE_VALUE',
    `Cannot record the value at "${where.path}" of run "${where.run}": ${place} is of type ${valueType}`,
    {
      run: where.run,
      path: where.path,
      valueType,
      at,
      hint: 'Return plain data: objects, arrays, strings, finite numbers, integers, booleans, null.',
    },
  );
}

/** Where a value holds what a journal cannot keep, or undefined. Pure. */
export function unjournalableAt(value: unknown): { readonly at: string; readonly valueType: string } | undefined {
  return inValue(value, { strict: true, ancestors: [] });
}

/**
 * Asserts that a journal can write `value` down at all: no live stream, no cycle, no `toJSON` that throws.
 *
 * Pure. Values that JSON writes down as something else (NaN, a Map) pass, as in SDK 0.80.
 *
 * @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE with `{run, path, valueType, at}`.
 * @see kernel-specs/durable-run.md D-41
 */
export function assertJournalable(value: unknown, where: { readonly run: string; readonly path: string }): void {
  const found = inValue(value, { strict: false, ancestors: [] });
  if (found !== undefined) refuse(found, where);
}

/**
 * Asserts that a journal gives `value` back as it was: besides what `assertJournalable` refuses, no function, symbol, NaN,
 * infinity, Map, Set, instance of a class without `toJSON`, and no undefined in an array.
 *
 * Pure. An undefined member is left out, a Date becomes its ISO string.
 *
 * @throws InvokeError ERR_DURABLE_UNJOURNALABLE_VALUE with `{run, path, valueType, at}`.
 * @see kernel-specs/durable-run.md D-42
 */
export function assertFaithful(value: unknown, where: { readonly run: string; readonly path: string }): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  const found = inValue(value, { strict: true, ancestors: [] });
  if (found !== undefined) refuse(found, where);
}
