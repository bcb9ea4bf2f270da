const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words an expression cannot use as a name. */
const CEL_KEYWORDS = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
);
/** Names an expression can write but that reach, or look as if they reached, members of host objects. */
const HOST_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** Why `name` is no name for a resource, step, variable or import, or undefined when it is one. Pure. */
export function nameProblem(name: string): string | undefined {
  if (!NAME.test(name)) {
    return `Name '${name}' must start with a letter or underscore and contain only letters, digits and underscores`;
  }
  if (CEL_KEYWORDS.has(name)) return `Name '${name}' is a word of the expression language`;
  return HOST_NAMES.has(name) ? `Name '${name}' is reserved` : undefined;
}

/** Pure. */
export function startsUpper(name: string): boolean {
  return /^[A-Z]/.test(name);
}
