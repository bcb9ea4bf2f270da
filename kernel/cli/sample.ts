/** An example value that a JSON Schema describes, for the command a person is shown. Pure; bounded depth. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null || depth > 4) return {};
  const named: Readonly<Record<string, unknown>> = { ...schema };
  if ('const' in named) return named['const'];
  if ('default' in named) return named['default'];
  for (const member of ['examples', 'enum']) {
    const list = named[member];
    if (Array.isArray(list) && list.length > 0) return list[0];
  }
  const type = Array.isArray(named['type']) ? named['type'][0] : named['type'];
  switch (type) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return typeof named['minimum'] === 'number' ? named['minimum'] : 0;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [];
    default:
      return sampleObject(named, depth);
  }
}

function sampleObject(schema: Readonly<Record<string, unknown>>, depth: number): unknown {
  const properties = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return {};
  const required = Array.isArray(schema['required']) ? schema['required'] : Object.keys(properties);
  const sample: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (required.includes(name)) sample[name] = sampleOf(member, depth + 1);
  }
  return sample;
}
