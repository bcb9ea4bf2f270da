import { Environment, Optional } from '@marcbachmann/cel-js';
import { registerEncoding } from './functions/encoding.ts';
import { registerLists } from './functions/lists.ts';
import { registerNumbers } from './functions/numbers.ts';
import { registerStrings } from './functions/strings.ts';
import { registerTime } from './functions/time.ts';
import { registerUuids } from './functions/uuid.ts';

let environment: Environment | undefined;

/** The one environment every expression of every manifest is parsed and evaluated in. Pure: it holds no state. */
export function celEnvironment(): Environment {
  environment ??= build();
  return environment;
}

function build(): Environment {
  const built = new Environment({
    unlistedVariablesAreDyn: true,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  for (const register of [
    registerLists,
    registerStrings,
    registerNumbers,
    registerEncoding,
    registerTime,
    registerUuids,
  ]) {
    register(built);
  }
  return built;
}

/** An optional answers its value or null: nothing outside an expression knows what an optional is. Pure. */
export function plainResult(value: unknown): unknown {
  if (!(value instanceof Optional)) return value;
  return value.hasValue() ? value.value() : null;
}
