import type { ResourceContext, ResourceInstance } from '@telorun/sdk';
import { plainObject } from '../../graph/plain.ts';
import type { KindDefinition } from '../kind.ts';
import { styled } from './markup.ts';

/** `Console.WriteLine`. @see kernel-specs/run-kinds.md RK-30 */
class WriteLine implements ResourceInstance {
  readonly #ctx: ResourceContext;

  constructor(ctx: ResourceContext) {
    this.#ctx = ctx;
  }

  /** Writes one line and answers its text as given. Effect: on standard output. */
  async invoke(inputs: unknown): Promise<unknown> {
    const { output } = plainObject(inputs);
    const text = typeof output === 'string' ? output : String(output);
    const { stdout } = this.#ctx;
    const line = `${styled(text, 'isTTY' in stdout && stdout.isTTY === true)}\n`;
    await new Promise<void>((resolve, reject) => {
      stdout.write(line, (error) => (error === null || error === undefined ? resolve() : reject(error)));
    });
    return text;
  }
}

export const writeLine: KindDefinition = {
  module: 'Console',
  name: 'WriteLine',
  description:
    'Writes one line to standard output. `{bold text}` and other styles are markup; control characters are escaped.',
  capability: 'Telo.Invocable',
  schema: { type: 'object', additionalProperties: false, properties: {} },
  inputType: {
    type: 'object',
    required: ['output'],
    additionalProperties: false,
    properties: { output: { title: 'Output', description: 'The line.', type: ['string', 'number', 'boolean'] } },
  },
  outputType: { type: 'string' },
  controller: () => Promise.resolve({ create: (_resource, ctx) => new WriteLine(ctx) }),
};
