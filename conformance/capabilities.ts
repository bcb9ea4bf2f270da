/** What a backend may be unable to do, and what that means; closed. Declaring one is the only way to skip a case. */
export const CAPABILITIES = {
  entries: 'the records of a run cannot be listed in the order of writing',
  status: 'the state of a run cannot be asked from outside',
  delivery: 'a wait cannot be answered from outside',
  'many-waits': 'a run holds one open wait at a time',
  fencing: 'an execution whose run was taken over is not told, and may still write',
  recorded: 'a handle does not tell whether a path is on record, as in SDK 0.80',
  decoded: 'a first execution answers the live value, and only a replay the recorded one',
  bigint: 'integers beyond a double do not survive the journal',
  zones: 'the attributes of the zones that a body starts in cannot be asked',
  reopen: 'runs cannot be opened again from another instance',
  store: 'it is no store: there is no FencedJournal to open',
  tearing: 'its records cannot be damaged from outside',
} as const satisfies Readonly<Record<string, string>>;

export type Capability = keyof typeof CAPABILITIES;
