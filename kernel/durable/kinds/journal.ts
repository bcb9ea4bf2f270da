import type { KindDefinition } from '../../kinds/kind.ts';
import { abstractController } from './fields.ts';

export const journal: KindDefinition = {
  module: 'DurableLocal',
  name: 'Journal',
  description: 'Whatever remembers durable runs.',
  capability: 'Telo.Provider',
  abstract: true,
  schema: { type: 'object' },
  controller: abstractController,
};
