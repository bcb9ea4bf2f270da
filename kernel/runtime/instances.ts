const instances = new WeakSet<object>();

/** Remembers a live resource, so that no copy of a value ever copies it. Effect: on a weak set of this process. */
export function markInstance(instance: object): void {
  instances.add(instance);
}

/** Whether `value` is a live resource of a kernel in this process. Pure. */
export function isInstance(value: object): boolean {
  return instances.has(value);
}
