import { InvokeError } from '@telorun/sdk';
import { coerce, schemaProblem } from './coerce.ts';
import type { LoadedModule } from './model.ts';
import { isRecord } from './record.ts';

export interface BindingSources {
  /** Environment of an application. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--var N=V`: texts, which win over the environment. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** What the importer of a library states, expressions already evaluated. */
  readonly imported?: {
    readonly variables: Readonly<Record<string, unknown>>;
    readonly secrets: Readonly<Record<string, unknown>>;
  };
}

export interface BoundVariables {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly ports: Readonly<Record<string, unknown>>;
}

/**
 * The values of a module's variables, secrets and ports. Pure.
 * @throws InvokeError ERR_MANIFEST_VALIDATION_FAILED with every problem, in its message and as `data.problems`.
 * @see kernel-specs/manifest.md 4
 */
export function bindVariables(module: LoadedModule, sources: BindingSources): BoundVariables {
  const binder = new Binder(module, sources);
  const bound: BoundVariables = {
    variables: binder.block('variables'),
    secrets: binder.block('secrets'),
    ports: binder.block('ports'),
  };
  binder.refuseUnknown();
  if (binder.problems.length === 0) return bound;
  const message = `${module.name} cannot start: ${binder.problems.join('; ')}`;
  throw new InvokeError('ERR_MANIFEST_VALIDATION_FAILED', message, {
    problems: binder.problems,
    hint: 'Set the environment variables named above, or pass --var NAME=VALUE.',
  });
}

type Block = 'variables' | 'secrets' | 'ports';

class Binder {
  readonly problems: string[] = [];
  readonly #module: LoadedModule;
  readonly #sources: BindingSources;
  readonly #known: Record<Block, Set<string>> = { variables: new Set(), secrets: new Set(), ports: new Set() };

  constructor(module: LoadedModule, sources: BindingSources) {
    this.#module = module;
    this.#sources = sources;
  }

  block(block: Block): Readonly<Record<string, unknown>> {
    const declared = this.#module.root.fields[block];
    const values: Record<string, unknown> = Object.create(null);
    for (const [name, spec] of Object.entries(isRecord(declared) ? declared : {})) {
      this.#known[block].add(name);
      const value = this.#value(block, name, isRecord(spec) ? spec : {});
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  refuseUnknown(): void {
    const { overrides = {}, imported } = this.#sources;
    const { variables, secrets, ports } = this.#known;
    for (const name of Object.keys(overrides)) {
      if (!variables.has(name) && !secrets.has(name) && !ports.has(name)) {
        this.problems.push(`--var ${name}: the manifest declares no variable of that name`);
      }
    }
    if (imported === undefined) return;
    for (const block of ['variables', 'secrets'] as const) {
      for (const name of Object.keys(imported[block])) {
        if (!this.#known[block].has(name))
          this.problems.push(`${block}.${name}: the library declares none of that name`);
      }
    }
  }

  #value(block: Block, name: string, spec: Readonly<Record<string, unknown>>): unknown {
    const schema = block === 'ports' ? { type: 'integer', minimum: 1, maximum: 65535 } : schemaOf(spec);
    const given = this.#given(block, name, spec);
    const what = `${block}.${name}`;
    if (given === undefined) {
      if (Object.hasOwn(spec, 'default')) return this.#valid(spec['default'], schema, what, block);
      this.problems.push(`${what}: ${this.#missing(spec)}`);
      return undefined;
    }
    if (given.text === undefined) return this.#valid(given.value, schema, what, block);
    const read = coerce(given.text, schema['type']);
    if (read.ok) return this.#valid(read.value, schema, `${what} (${given.from})`, block);
    this.problems.push(`${what} (${given.from}): ${read.problem}`);
    return undefined;
  }

  #given(
    block: Block,
    name: string,
    spec: Readonly<Record<string, unknown>>,
  ): { readonly text?: string; readonly value?: unknown; readonly from: string } | undefined {
    const { overrides = {}, env = {}, imported } = this.#sources;
    if (imported !== undefined) {
      const values: Readonly<Record<string, unknown>> = block === 'ports' ? {} : imported[block];
      return Object.hasOwn(values, name) ? { value: values[name], from: 'the import' } : undefined;
    }
    const override = Object.hasOwn(overrides, name) ? overrides[name] : undefined;
    if (override !== undefined) return { text: override, from: `--var ${name}` };
    const variable = spec['env'];
    const text = typeof variable === 'string' ? env[variable] : undefined;
    return text === undefined ? undefined : { text, from: String(variable) };
  }

  #valid(value: unknown, schema: Readonly<Record<string, unknown>>, what: string, block: Block): unknown {
    const problem = schemaProblem(value, schema, block === 'secrets');
    if (problem === undefined) return value;
    this.problems.push(`${what}: ${problem}`);
    return undefined;
  }

  #missing(spec: Readonly<Record<string, unknown>>): string {
    if (this.#sources.imported !== undefined) return 'the import must state it: it has no default';
    return typeof spec['env'] === 'string'
      ? `the environment variable ${spec['env']} is not set and there is no default`
      : 'no value was given and there is no default';
  }
}

function schemaOf(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { env: _env, default: _default, ...schema } = spec;
  return schema;
}
