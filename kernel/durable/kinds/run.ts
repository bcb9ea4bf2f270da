import type { KindDefinition } from '../../kinds/kind.ts';
import { abstractController } from './fields.ts';

export const run: KindDefinition = {
  module: 'Durable',
  name: 'Run',
  description: 'Whatever executes a body as a durable run.',
  capability: 'Telo.Invocable',
  abstract: true,
  schema: { type: 'object' },
  controller: abstractController,
};
