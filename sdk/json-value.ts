const TAG = '$bigint';
/** The tag itself and every escaped form of it. */
const TAGGED = /^\$+bigint$/;
const DIGITS = /^-?(?:0|[1-9]\d*)$/;

function soleKey(value: object): string | undefined {
  let sole: string | undefined;
  for (const key in value) {
    if (sole !== undefined || !Object.hasOwn(value, key)) return undefined;
    sole = key;
  }
  return sole;
}

/** Maps the children of a container, copying it only when a child changed. */
function mapContainer(value: object, map: (child: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const child: unknown = value[index];
      const mapped = typeof child === 'string' ? child : map(child);
      if (mapped !== child) (copy ??= value.slice())[index] = mapped;
    }
    return copy ?? value;
  }
  let changed: Map<string, unknown> | undefined;
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === 'string') continue;
    const mapped = map(child);
    if (mapped !== child) (changed ??= new Map()).set(key, mapped);
  }
  if (changed === undefined) return value;
  const replaced = changed;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]: [string, unknown]) => [
      key,
      replaced.has(key) ? replaced.get(key) : child,
    ]),
  );
}

/**
 * Answers `value` as what JSON can write: a BigInt becomes `{"$bigint": "<digits>"}`, an object that already looks so gets
 * one more `$`. `decodeJsonValue` is its inverse.
 *
 * Pure. Containers without a BigInt are answered as they are, not copied.
 */
export function encodeJsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return { [TAG]: value.toString() };
  if (typeof value !== 'object' || value === null) return value;
  const toJson: unknown = Reflect.get(value, 'toJSON');
  if (typeof toJson === 'function') {
    const converted: unknown = Reflect.apply(toJson, value, ['']);
    return converted === value ? value : encodeJsonValue(converted);
  }
  const encoded = mapContainer(value, encodeJsonValue);
  if (typeof encoded !== 'object' || encoded === null || Array.isArray(encoded)) return encoded;
  const sole = soleKey(encoded);
  return sole !== undefined && TAGGED.test(sole) ? { [`$${sole}`]: Reflect.get(encoded, sole) } : encoded;
}

/** Answers the value that `encodeJsonValue` was given, from parsed JSON. Pure. */
export function decodeJsonValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const sole = Array.isArray(value) ? undefined : soleKey(value);
  if (sole === undefined || !TAGGED.test(sole)) return mapContainer(value, decodeJsonValue);
  const held: unknown = Reflect.get(value, sole);
  if (sole !== TAG) return { [sole.slice(1)]: decodeJsonValue(held) };
  return typeof held === 'string' && DIGITS.test(held) ? BigInt(held) : mapContainer(value, decodeJsonValue);
}
