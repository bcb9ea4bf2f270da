import type { Form } from '../fragment/fragment.ts';
import type { JsonObject } from '../values/json.ts';
import type { Grant } from './operation.ts';
import type { Table } from './table.ts';

/** One element as a reference documents it. */
export interface VocabularySymbol {
  readonly name: string;
  readonly form: Form;
  readonly props: JsonObject;
  readonly grant: Grant;
  readonly origin: 'standard' | 'host';
  readonly description: string;
  readonly available: boolean;
}

/** Exactly what preflight admits under this table, in its order. Pure. @see E5 */
export function listSymbols(table: Table): readonly VocabularySymbol[] {
  return table.entries.map(({ name, form, props, grant, origin, description }) => ({
    name,
    form,
    props,
    grant,
    origin,
    description,
    available: true,
  }));
}
