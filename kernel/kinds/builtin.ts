import type { BuiltinKinds } from '../check/kinds.ts';
import { openaiModel } from './ai-openai/openai-model.ts';
import { model } from './ai/model.ts';
import { containsKind } from './assert/contains.ts';
import { equals } from './assert/equals.ts';
import { matches } from './assert/matches.ts';
import { writeLine } from './console/write-line.ts';
import { durableKinds } from '../durable/kinds.ts';
import type { KindDefinition } from './kind.ts';
import { choice } from './run/choice.ts';
import { detach } from './run/detach.ts';
import { iteration } from './run/iteration.ts';
import { loop } from './run/loop.ts';
import { projection } from './run/projection.ts';
import { sequence } from './run/sequence.ts';
import { value } from './run/value.ts';
import { delay } from './timer/delay.ts';
import { jsonSchema } from './telo/json-schema.ts';

const all = [
  sequence,
  value,
  choice,
  iteration,
  projection,
  loop,
  detach,
  delay,
  writeLine,
  equals,
  matches,
  containsKind,
  jsonSchema,
  model,
  openaiModel,
  ...durableKinds,
];

/** Every kind that is part of this program, by its canonical name. */
export const builtinKinds: BuiltinKinds = new Map(
  all.map((definition) => [`${definition.module}.${definition.name}`, definition]),
);

/** The name of the ready instance that a module exports beside a kind which needs no configuration. Pure. */
export function readyName(definition: KindDefinition): string | undefined {
  const { required } = definition.schema;
  if (Array.isArray(required) && required.length > 0) return undefined;
  return definition.name.charAt(0).toLowerCase() + definition.name.slice(1);
}
