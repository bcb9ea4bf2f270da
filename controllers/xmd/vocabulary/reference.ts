import type { Form } from '../fragment/fragment.ts';
import type { JsonObject } from '../values/json.ts';
import type { Grant, Operation } from './operation.ts';
import { closedProps } from './props-schema.ts';
import type { Table } from './table.ts';

/** One entry of the listing of symbols. */
export interface ReferenceEntry {
  readonly name: string;
  readonly forms: readonly Form[];
  readonly props: JsonObject;
  /** Which grant admits it; null for what no fragment may ever use. */
  readonly grant: Grant | null;
  readonly origin: 'protected' | 'standard' | 'host';
  readonly description: string;
  /** Whether a fragment may use it here. */
  readonly available: boolean;
}

/** What documents of the enclosing kind have, and no fragment: nothing can answer for these names. */
const PROTECTED: readonly ReferenceEntry[] = [
  {
    name: 'Evaluate',
    forms: ['self-closing', 'paired'],
    props: closedProps(
      {
        text: { type: 'string', description: 'The fragment' },
        source: {
          type: 'string',
          description: 'Deprecated compatibility spelling for workflow documents. Use text in new documents.',
        },
        allow: {
          type: 'array',
          items: { type: 'string', enum: ['read', 'write'] },
          description: 'What the fragment may do, never more than the profile',
        },
      },
      [],
    ),
    grant: null,
    origin: 'protected',
    description: 'Evaluate program text. `<Evaluate text={program} allow={["read"]} />` runs it.',
    available: false,
  },
  {
    name: 'Plan',
    forms: ['paired'],
    props: closedProps({ as: { type: 'string', description: 'Name of the produced string' } }, []),
    grant: null,
    origin: 'protected',
    description:
      'Generate program text from a prompt. `<Plan as="program">Ask for the user\'s age.</Plan>` produces a string that can be passed to `<Evaluate>`.',
    available: false,
  },
  {
    name: 'Syntax',
    forms: ['self-closing'],
    props: closedProps(
      { names: { type: 'array', items: { type: 'string' }, description: 'Elements to document; without it, all' } },
      [],
    ),
    grant: null,
    origin: 'protected',
    description: 'Document what a fragment may use. `<Syntax />` renders it.',
    available: false,
  },
];

/**
 * Everything that has a name here: what is protected, then every element of the widest table, each with whether the
 * narrowed one admits it.
 *
 * Pure. Listing admits nothing.
 *
 * @see E17
 */
export function listReference(widest: Table, narrowed: Table): readonly ReferenceEntry[] {
  const entries = widest.entries.map((operation) =>
    entryOf(operation, narrowed.lookup(operation.name, operation.form) !== undefined),
  );
  return [...PROTECTED, ...entries];
}

function entryOf({ name, form, props, grant, origin, description }: Operation, available: boolean): ReferenceEntry {
  return { name, forms: [form], props, grant, origin, description, available };
}
