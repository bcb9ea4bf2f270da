import type { KindDefinition } from '../kind.ts';

/** `Ai.Model`. @see kernel-specs/models.md AI-01 */
export const model: KindDefinition = {
  module: 'Ai',
  name: 'Model',
  description: 'Whatever answers messages with text: a language model behind an endpoint.',
  capability: 'Telo.Provider',
  abstract: true,
  schema: { type: 'object' },
  controller: () => Promise.reject(new TypeError('An abstract kind has no controller')),
};
