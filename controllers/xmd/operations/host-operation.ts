import type { JsonObject, JsonValue } from '../values/json.ts';
import type { EffectScope, Performer } from './performer.ts';
import { plainValue } from './plain-value.ts';

/** What an author may reach in the `inputs` of a host operation. */
export interface HostOperationInputs {
  readonly props: JsonObject;
  readonly content: string;
}

export interface HostOperationOptions {
  /**
   * Dispatches the target under `path`, the effect's step path, so that a kind that parks parks there. What it throws
   * is thrown as it is: a suspension, a cancellation, an error of the journal, or the target's own failure.
   */
  readonly dispatch: (inputs: HostOperationInputs, path: string, scope: EffectScope) => Promise<unknown>;
}

/**
 * An element that a host registered: dispatches its target. Answers the target's value as plain data; a string renders
 * itself, anything else nothing.
 *
 * @see kernel-specs/files.md FS-60 to FS-62
 */
export function hostOperation({ dispatch }: HostOperationOptions): Performer {
  return {
    perform: async ({ input }, scope): Promise<JsonValue> => {
      scope.cancellation.throwIfCancelled();
      const value = await dispatch({ props: input, content: scope.content }, scope.path, scope);
      return plainValue(value, scope.path);
    },
    render: (value) => (typeof value === 'string' ? value : ''),
  };
}
