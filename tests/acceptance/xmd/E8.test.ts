import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { evaluating, World } from './real-kernel.ts';

const SECRET = 'hunter2-of-the-host';

/** Ways from a value to its constructor, its prototype, the host's globals, or what a producer keeps to itself. */
const CHAINS = (value: string): readonly string[] => [
  `${value}.constructor`,
  `${value}.constructor.constructor`,
  `${value}.constructor.constructor('return process')()`,
  `${value}.__proto__`,
  `${value}.__proto__.constructor`,
  `${value}.prototype`,
  `${value}.toString`,
  `${value}.valueOf`,
  `${value}.hasOwnProperty`,
  `${value}.toJSON`,
  `${value}.__defineGetter__`,
  `${value}.__lookupGetter__`,
  `${value}["constructor"]`,
  `${value}["__proto__"]`,
  `${value}["__proto__"]["constructor"]["constructor"]`,
  `${value}["con" + "structor"]`,
  `${value}.?constructor`,
  `${value}[?"constructor"]`,
  `has(${value}.constructor)`,
  `has(${value}.__proto__)`,
  `"constructor" in ${value}`,
  `"__proto__" in ${value}`,
  `[${value}].map(one, one.constructor)`,
  `[${value}].map(one, one["constructor"])`,
  `[${value}].filter(one, one.constructor == one.constructor)`,
  `${value}.map(name, name.constructor)`,
  `${value}.map(name, ${value}[name])`,
  `${value}.list.constructor`,
  `${value}.list.map`,
  `${value}.list[0].constructor`,
  `${value}.open.constructor`,
  `${value}.hidden`,
  `${value}.vault`,
  `${value}.secret`,
  `${value}.reveal`,
  `${value}.reveal()`,
];

/** Names that stand for nothing an author was given. */
const NAMES = [
  'constructor',
  'toString',
  'globalThis',
  'process',
  'require',
  'this',
  'self',
  '__proto__',
  'Function',
  'Object',
  'secrets.key',
  'ctx',
  'props.constructor.constructor',
  'content.constructor.constructor',
  'effect.constructor',
  'effect.key.constructor.constructor',
  'effect.__proto__',
];

function worldWith(member: 'inputs' | 'result', chain: string, does: string): World {
  return new World(`
kind: Shop.Call
metadata: { name: vault }
does: ${does}
---
${evaluating(`  - name: Ask
    form: self-closing
    grant: read
    revision: '1'
    invoke: !ref vault
    props: { type: object }
    ${member}: ${member === 'inputs' ? `{ probe: !cel '${chain}' }` : `!cel '${chain}'`}
`)}`);
}

async function asked(world: World): Promise<unknown> {
  return (await world.process()).evaluate('<Ask open={1} list={[{"a":1}]} />');
}

/** What an evaluation came to, or the error that refused it; a live function or the secret in it would be seen. */
async function outcomeOf(
  work: () => Promise<unknown>,
): Promise<{ readonly value?: unknown; readonly error?: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

/** Whether anything reachable by own members is a function, or text that holds the secret. */
function leaks(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value === 'function') return true;
  if (typeof value === 'string') return value.includes(SECRET);
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  return Reflect.ownKeys(value).some((key) => leaks(Reflect.get(value, key), seen));
}

/** The plain values that a chain may come to: nothing, a truth, or the members that were handed over anyway. */
function isHarmless(value: unknown): boolean {
  const text = JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
  return !leaks(value) && !/native code|\[object|function|class /.test(text);
}

/** The chains, each in an operation of its own of one application: what the check refuses, and who is left. */
async function tryAll(member: 'inputs' | 'result', chains: readonly string[], does: string) {
  const all = chains.map((chain) => chain.replaceAll("'", '"'));
  const operation = (chain: string, index: number): string => {
    const stated = member === 'inputs' ? `inputs: { probe: !cel '${chain}' }` : `result: !cel '${chain}'`;
    return `  - { name: Ask${index}, form: self-closing, grant: read, revision: '1', invoke: !ref vault, props: { type: object }, ${stated} }`;
  };
  const documents = (operations: readonly string[]): string => `
kind: Shop.Call
metadata: { name: vault }
does: ${does}
---
${evaluating(operations.join('\n'))}`;
  const operations = all.map(operation);
  const world = new World(documents(operations));
  const lines = readFileSync(join(world.folder, 'telo.yaml'), 'utf8').split('\n');
  const found = await world.check();
  const refusedAt = new Set(found.map((one) => lines[Number.parseInt(one, 10) - 1]));
  const refused = operations.map((line) => refusedAt.has(line));
  world.write(documents(operations.filter((_, index) => !refused[index])));
  const left = all.flatMap((chain, index) => (refused[index] === true ? [] : [{ chain, name: `Ask${index}` }]));
  return { world, process: await world.process(), found, left, refused: refused.filter(Boolean).length };
}

it.each([
  ['the inputs of an operation', 'inputs', [...CHAINS('props'), ...NAMES], 'echo'],
  ['what a target answered', 'result', [...CHAINS('result'), ...NAMES.slice(0, 11)], 'secret'],
] as const)('E8 from %s, no chain reaches anything', async (_what, member, chains, does) => {
  const { world, process, found, left, refused } = await tryAll(member, chains, does);
  // What the check refuses is refused as an expression, and so never evaluated.
  expect(found.filter((one) => !/ CEL_[A-Z_]+$/.test(one))).toEqual([]);
  expect(found).toHaveLength(refused);
  expect(left.length).toBeGreaterThan(chains.length / 3);
  for (const { chain, name } of left) {
    const before = world.calls.length;
    const { value, error } = await outcomeOf(() => process.evaluate(`<${name} open={1} list={[{"a":1}]} />`));
    const told = error instanceof Error ? { message: error.message, data: Reflect.get(error, 'data') } : null;
    expect({ chain, harmless: isHarmless(value ?? null), leaks: leaks(told) }).toEqual({
      chain,
      harmless: true,
      leaks: false,
    });
    for (const { inputs } of world.calls.slice(before)) {
      expect({ chain, harmless: isHarmless(inputs) }).toEqual({ chain, harmless: true });
    }
  }
});

it('E8 the twins of these chains are evaluated: what an author was given is there', async () => {
  const inputs = worldWith('inputs', 'props.list[0].a + props.open', 'echo');
  await expect(outcomeOf(() => asked(inputs))).resolves.toMatchObject({ value: { observations: [{ name: 'Ask' }] } });
  expect(inputs.calls).toMatchObject([{ inputs: { probe: 2 } }]);
  const result = worldWith('result', 'result.list[0].a + result.open', 'secret');
  await expect(outcomeOf(() => asked(result))).resolves.toMatchObject({ value: { observations: [{ value: 2 }] } });
});

it.each(['secret', 'vault'])('E8 an answer that holds more (%s) leaves as its plain members', async (does) => {
  const world = worldWith('result', 'result', does);
  const { value } = await outcomeOf(() => asked(world));

  expect(value).toEqual({
    observations: [{ name: 'Ask', value: { open: 1, list: [{ a: 1 }] } }],
    output: '',
  });
  expect(leaks(value)).toBe(false);
});

it('E8 an error leaves as code and message, and nothing that hangs on it', async () => {
  const { error } = await outcomeOf(() => asked(worldWith('result', 'result', 'throw')));

  expect(error).toMatchObject({ message: expect.stringContaining('the shop is closed') });
  const plain = Object(error);
  expect([plain.vault, plain.reveal, plain.cause]).toEqual([undefined, undefined, undefined]);
  expect(leaks({ ...plain, message: plain.message, cause: plain.cause })).toBe(false);
});

it.each([
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"prototype":{"polluted":1},"toString":1,"then":1,"toJSON":1}',
])('E8 a prop %s is data, to the target as well, and pollutes nothing', async (json) => {
  const world = new World(`
kind: Shop.Call
metadata: { name: echo }
---
${evaluating(`  - { name: Ask, form: self-closing, grant: read, revision: '1', invoke: !ref echo, props: { type: object } }
`)}`);
  const process = await world.process();
  const result = await process.evaluate(`<Ask it={${json}} __proto__="x" constructor="y" />`);

  expect(world.calls).toHaveLength(1);
  expect(JSON.stringify(Object(world.calls[0]?.inputs).it)).toBe(JSON.stringify(JSON.parse(json)));
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Object(result).observations[0].name).toBe('Ask');
});

it.each([
  '<Ask to={constructor.constructor("return process")()} />',
  '<Ask to={this} />',
  '<Ask to={props.secret} />',
  '<Ask to={effect.key} />',
  '{props.constructor}',
  '<constructor.Constructor />x{globalThis}',
])('E8 the fragment itself has no expressions: %s is refused before any call', async (text) => {
  const world = new World(`
kind: Shop.Call
metadata: { name: echo }
---
${evaluating(`  - { name: Ask, form: self-closing, grant: read, revision: '1', invoke: !ref echo, props: { type: object } }
`)}`);
  const process = await world.process();

  await expect(process.evaluate(text)).rejects.toMatchObject({ code: 'ERR_XMD_REFUSED' });
  expect(world.calls).toEqual([]);
  await expect(process.evaluate('<Ask to="this" />')).resolves.toBeDefined();
  expect(world.calls).toHaveLength(1);
});
