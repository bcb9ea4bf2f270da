import { InvokeError } from '@telorun/sdk';
import type { JsonValue } from '../values/json.ts';

/** Deepest nesting of a kept value; what reads a journal may recurse. */
const VALUE_DEPTH_MAX = 256;

/**
 * Brings what an operation answered, or is given (`what` says which), to plain data that a journal gives back unchanged: fresh objects and arrays without
 * prototypes of the operation's own, a BigInt kept, `toJSON` applied, undefined members left out, undefined itself null.
 *
 * Pure, but for getters and `toJSON` of the value. Does not change in silence what it cannot keep.
 *
 * @throws InvokeError ERR_XMD_EFFECT {effect, reason: `unkeepable-value`, at, valueType, hint}
 * @see kernel-specs/files.md FS-61
 */
export function plainValue(value: unknown, effect: string, what = 'what the operation answered'): JsonValue {
  return value === undefined ? null : plain(value, { effect, what, at: '', within: [] });
}

interface Place {
  readonly what: string;
  readonly effect: string;
  readonly at: string;
  readonly within: readonly object[];
}

function plain(value: unknown, place: Place): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : refuse(String(value), place);
    case 'bigint':
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a journal tags it and answers a BigInt again
      return value as unknown as JsonValue;
    case 'object':
      return value === null ? null : plainObject(value, place);
    case 'undefined':
    case 'function':
    case 'symbol':
      break;
  }
  return refuse(typeof value, place);
}

function plainObject(value: object, place: Place): JsonValue {
  if (place.within.includes(value)) {
    return refuse('cycle', place);
  }
  if (place.within.length >= VALUE_DEPTH_MAX) {
    return refuse(`nesting deeper than ${VALUE_DEPTH_MAX}`, place);
  }
  const within = [...place.within, value];
  const convert: unknown = Reflect.get(value, 'toJSON');
  if (typeof convert === 'function') {
    const converted: unknown = Reflect.apply(convert, value, ['']);
    return converted === undefined
      ? refuse(classOf(value), place)
      : plain(nullForLost(value, converted, place), { ...place, within });
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, index) => plain(item, { ...place, at: `${place.at}[${index}]`, within }));
  }
  if (!isPlain(value)) {
    return refuse(classOf(value), place);
  }
  const members: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) {
      members.push([name, plain(member, { ...place, at: `${place.at}${segment(name)}`, within })]);
    }
  }
  return Object.fromEntries(members);
}

/** An invalid Date converts to null, which would lose it in silence. */
function nullForLost(value: object, converted: unknown, place: Place): unknown {
  return converted === null && value instanceof Date ? refuse('Date', place) : converted;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null);
}

function classOf(value: object): string {
  const made: unknown = Reflect.get(value, 'constructor');
  return typeof made === 'function' && made.name !== '' ? made.name : 'object';
}

function segment(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function refuse(valueType: string, { effect, what, at }: Place): never {
  const place = at === '' ? 'the value itself' : `its ${at.startsWith('.') ? at.slice(1) : at}`;
  throw new InvokeError('ERR_XMD_EFFECT', `Cannot keep ${what}: ${place} is of type ${valueType}`, {
    effect,
    reason: 'unkeepable-value',
    at,
    valueType,
    hint: 'Let it be plain data: objects, arrays, strings, finite numbers, integers, booleans, null.',
  });
}
