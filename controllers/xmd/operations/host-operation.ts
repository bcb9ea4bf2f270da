import type { JsonObject, JsonValue } from '../values/json.ts';
import { bareValue } from './bare-value.ts';
import type { EffectScope, Performer } from './performer.ts';
import { plainValue } from './plain-value.ts';

/** What an author may reach in the `inputs` of a host operation; plain data without prototypes. */
export interface HostOperationInputs {
  readonly props: JsonObject;
  readonly content: string;
  readonly effect: { readonly key: string; readonly path: string };
}

/** What stands between an element and its target, apart from the copying of values. */
export interface HostCall {
  /** Idempotency key of the effect at `path`. */
  keyOf(path: string): string;
  /** What the target is given. */
  prepare(given: HostOperationInputs): unknown;
  /** Records that the call begins, or answers what was decided about one that began before. */
  begin(scope: EffectScope, key: string): Promise<{ kind: 'call' } | { kind: 'decided'; value: unknown }>;
  /**
   * Dispatches the target under the effect's path, so that a kind that parks parks there. What it throws is thrown as it
   * is: a suspension, a cancellation, an error of the journal, or the target's own failure.
   */
  dispatch(inputs: JsonValue, scope: EffectScope): Promise<unknown>;
  /** What the effect is worth, given what the target answered. */
  finish(result: JsonValue): unknown;
}

/**
 * An element that a host registered: calls its target. Answers a value as plain data; a string renders itself, anything
 * else nothing. Everything that crosses, in either direction, is a copy.
 *
 * @see kernel-specs/files.md FS-60 to FS-62
 * @see kernel-specs/host-operations.md HO-04
 */
export function hostOperation(call: HostCall): Performer {
  return {
    perform: async ({ input }, scope): Promise<JsonValue> => {
      const { path, cancellation } = scope;
      cancellation.throwIfCancelled();
      const key = call.keyOf(path);
      // Inputs that cannot be had are a failure before the call, so they come before its begin.
      const given = inputsOf(input, { content: scope.content, key, path });
      const inputs = plainValue(call.prepare(given), path, 'what the operation is given');
      const begun = await call.begin(scope, key);
      if (begun.kind === 'decided') {
        return plainValue(begun.value, path);
      }
      cancellation.throwIfCancelled();
      const result = plainValue(await call.dispatch(inputs, scope), path);
      return plainValue(call.finish(bareValue(result)), path);
    },
    render: (value) => (typeof value === 'string' ? value : ''),
  };
}

function inputsOf(
  input: JsonObject,
  { content, key, path }: { readonly content: string; readonly key: string; readonly path: string },
): HostOperationInputs {
  const props: Record<string, JsonValue> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    props[name] = bareValue(value);
  }
  const effect: { key: string; path: string } = Object.assign(Object.create(null), { key, path });
  return Object.assign(Object.create(null), { props, content, effect });
}
