/** Every name that nothing but Xmd may answer for, typed out: the source is compared with it. */
export const RESERVED = [
  ['Evaluate', 'Plan', 'Preflight', 'Profile', 'Syntax', 'Workspace'],
  ['File', 'File.Delete', 'Dir', 'Fetch', 'Glob', 'Elicit', 'Json', 'Parse', 'SafeParse', 'TempDir'],
  ['If', 'Else', 'Each', 'Let', 'Loop', 'Break', 'Return', 'Output', 'Content'],
].flat();

/** Those that a kind, a resource or an import can have: one with a dot is none. */
export const NAMES = RESERVED.filter((name) => !name.includes('.'));
