import { bodyPath, InvokeError, repeatPath, stepPath } from '@telorun/sdk';
import type { InvokeContext, ResourceContext, ResourceInstance, ResourceManifest } from '@telorun/sdk';
import type { KindDefinition } from '../kind.ts';
import { RepeatedBody } from './repeated-body.ts';
import { CATCHES, STEPS, TYPE } from './schema.ts';

/** Turns after which timers and signals are let in: a replay, or a body without effects, never waits by itself. */
const TURNS_MAX = 1_000;

/** A turn that is done, with what its steps saw. */
interface Turn {
  readonly steps: Readonly<Record<string, unknown>>;
  readonly previous: unknown;
  readonly iteration: bigint;
}

const NO_TURN: Turn = { steps: {}, previous: null, iteration: 0n };

/** `Run.Loop`. @see kernel-specs/run-kinds.md RK-27 */
class Loop implements ResourceInstance {
  readonly #body: RepeatedBody;

  constructor(resource: ResourceManifest, ctx: ResourceContext) {
    this.#body = new RepeatedBody(resource, ctx);
  }

  init(): void {
    this.#body.init();
  }

  /** Answers the expanded `outputs` of the last turn, or its steps as `{result}` by name. */
  async invoke(inputs: unknown, ctx?: InvokeContext): Promise<unknown> {
    return this.#body.guarded({ inputs, ctx }, async () => {
      const last = await this.#turns(inputs, ctx);
      const { outputs } = this.#body.resource;
      return outputs === undefined ? last.steps : this.#body.ctx.expandValue(outputs, { inputs, ...last });
    });
  }

  async run(ctx?: InvokeContext): Promise<void> {
    await this.invoke({}, ctx);
  }

  /** Durable: whether there is a turn n, at `<p>/condition[n]`; its steps are below `<p>/iterate[n]`. */
  async #turns(inputs: unknown, ctx: InvokeContext | undefined): Promise<Turn> {
    const base = bodyPath(ctx);
    let last = NO_TURN;
    // Bounded by the author's condition and maxIterations; a cancellation ends it between turns.
    for (let turn = 0; ; turn += 1) {
      const iteration = BigInt(turn);
      const previous = turn === 0 ? null : last.steps;
      const scope = { inputs, iteration, previous };
      const at = stepPath(base, 'condition', turn);
      if (!(await this.#body.decide(ctx, at, 'condition', () => this.#goesOn(turn, scope)))) return last;
      if (turn % TURNS_MAX === TURNS_MAX - 1) await new Promise((resolve) => setImmediate(resolve));
      ctx?.cancellation.throwIfCancelled();
      last = { steps: await this.#body.once(scope, ctx, repeatPath(base, turn)), previous, iteration };
    }
  }

  #goesOn(turn: number, scope: Readonly<Record<string, unknown>>): boolean {
    const { resource, ctx } = this.#body;
    const { condition, maxIterations } = resource;
    if (condition === undefined && maxIterations === undefined)
      throw this.#invalid('it states neither condition nor maxIterations');
    if (maxIterations !== undefined && turn >= this.#limit(ctx.expandValue(maxIterations, scope))) return false;
    return condition === undefined || Boolean(ctx.expandValue(condition, scope));
  }

  #limit(value: unknown): number {
    const limit = typeof value === 'bigint' ? Number(value) : value;
    if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 0) return limit;
    throw this.#invalid('its maxIterations is not a whole number from 0');
  }

  #invalid(why: string): InvokeError {
    const { name } = this.#body;
    return new InvokeError('INVALID_LOOP', `Cannot repeat the steps of "${name}": ${why}`, {
      resource: name,
      hint: 'State a condition, or a whole number of turns as maxIterations.',
    });
  }
}

const CONTEXT = { inputs: {}, iteration: {}, previous: {} };

export const loop: KindDefinition = {
  module: 'Run',
  name: 'Loop',
  description: 'Repeats its steps while a condition holds, at most so often.',
  capability: 'Telo.Runnable',
  schema: {
    type: 'object',
    required: ['steps'],
    anyOf: [{ required: ['condition'] }, { required: ['maxIterations'] }],
    additionalProperties: false,
    properties: {
      condition: {
        title: 'Condition',
        description: 'Whether there is another turn, asked before each; `previous` is null before the first.',
        'x-telo-eval': 'runtime',
        'x-telo-context': CONTEXT,
      },
      maxIterations: {
        title: 'Max iterations',
        description: 'The most turns.',
        type: 'integer',
        minimum: 0,
        'x-telo-eval': 'runtime',
        'x-telo-context': { inputs: {} },
      },
      steps: { ...STEPS, 'x-telo-context': { iteration: {}, previous: {} } },
      outputs: {
        title: 'Outputs',
        description:
          'What is answered, over the last turn: its `steps`, `previous` and `iteration`. Absent: its steps.',
        'x-telo-eval': 'runtime',
        'x-telo-context': { ...CONTEXT, steps: {} },
      },
      catches: CATCHES,
      inputType: TYPE,
      outputType: TYPE,
    },
  },
  throws: {
    codes: {
      INVALID_LOOP: { description: 'Neither condition nor maxIterations, or maxIterations is no whole number.' },
    },
    inherit: true,
  },
  controller: () => Promise.resolve({ create: (resource, ctx) => new Loop(resource, ctx) }),
};
