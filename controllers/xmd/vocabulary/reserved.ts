/** Elements that only an application's own documents have; a fragment never does. */
const STRUCTURAL = ['Break', 'Content', 'Each', 'Else', 'If', 'Let', 'Loop', 'Output', 'Return'] as const;

/** Elements that nothing but this module may answer for. */
const PROTECTED = ['Evaluate', 'Plan', 'Preflight', 'Profile', 'Syntax', 'Workspace'] as const;

/** Elements with a standard meaning, admitted by this version or kept free for it. */
const STANDARD = [
  'Dir',
  'Elicit',
  'Fetch',
  'File',
  'File.Delete',
  'Glob',
  'Json',
  'Parse',
  'SafeParse',
  'TempDir',
] as const;

const RESERVED: ReadonlySet<string> = new Set([...STRUCTURAL, ...PROTECTED, ...STANDARD]);

const ELEMENT_NAME = /^[A-Z][A-Za-z0-9_]*(?:\.[A-Z][A-Za-z0-9_]*)*$/;

/** Whether a host operation may not have this name. Pure. @see E13 */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name);
}

/** Whether an element can have this name: parts that start with a capital, joined by dots. Pure. */
export function isElementName(name: string): boolean {
  return ELEMENT_NAME.test(name);
}
