import type { KindDefinition } from '../kind.ts';

/** `Telo.JsonSchema`: a named type. It has no behaviour; contracts read its schema. @see kernel-specs/runtime.md RT-24 */
export const jsonSchema: KindDefinition = {
  module: 'Telo',
  name: 'JsonSchema',
  description: 'A named JSON Schema, for contracts.',
  capability: 'Telo.Type',
  schema: {
    type: 'object',
    required: ['schema'],
    additionalProperties: false,
    properties: { schema: { title: 'Schema', description: 'A draft-07 schema.', type: ['object', 'boolean'] } },
  },
  controller: () => Promise.resolve({ create: () => ({}) }),
};
