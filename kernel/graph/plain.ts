/** Whether `value` is an object literal's kind of object, which the kernel may walk and copy. Pure. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Reads a value as a plain object; answers an empty one for anything else. Pure. */
export function plainObject(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}

/** Reads a value as a list of strings, leaving out what is not one. Pure. */
export function stringList(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Sets an own member even when it is called `__proto__`. Effect: on `target` alone. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
