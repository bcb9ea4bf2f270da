import { codeOf, InvokeError, passesUncaught, stampRefIdentity } from '@telorun/sdk';
import type { ResourceInstance } from '@telorun/sdk';
import { leavesOf, resourcesRead } from '../graph/leaves.ts';
import { orderOf } from '../graph/order.ts';
import { plainObject } from '../graph/plain.ts';
import { compileSlots, referenceSlots } from '../graph/slots.ts';
import type { CompileSlot } from '../graph/slots.ts';
import { Expression, Reference } from '../manifest/tagged.ts';
import { ApplicationContext } from './application-context.ts';
import { contextFor } from './context.ts';
import { bindContract } from './contract.ts';
import type { KernelCore } from './core.ts';
import { expand } from './expand.ts';
import { markInstance } from './instances.ts';
import { kindRefsOf, readKindRef } from './resource.ts';
import type { ResourceRecord } from './resource.ts';
import { checkSchema } from './schemas.ts';
import { scopedFields } from './scoped.ts';
import type { Registrar } from './scope.ts';
import { configurationSchema, schemaOfType } from './types.ts';

/** A resource whose `create` answers null is tried again in the next pass, at most so often. */
const PASSES_MAX = 10;

/**
 * Creates and initialises resources, what they need first. Effect: runs controllers.
 *
 * @throws InvokeError ERR_CIRCULAR_DEPENDENCY, ERR_RESOURCE_INITIALIZATION_FAILED, ERR_CONTROLLER_NOT_FOUND,
 *   ERR_CONTROLLER_INVALID; a journal's own errors as they are
 * @see kernel-specs/runtime.md RT-10
 */
export async function initialize(
  core: KernelCore,
  records: readonly ResourceRecord[],
  registrar: Registrar = core,
): Promise<void> {
  let pending = ordered(core, records);
  for (let pass = 0; pass < PASSES_MAX && pending.length > 0; pass += 1) {
    const left: ResourceRecord[] = [];
    for (const record of pending) {
      if (!(await advanced(core, record))) left.push(record);
      const registered = registrar.registered?.splice(0) ?? [];
      if (registered.length > 0) await initialize(core, registered, registrar);
    }
    pending = left;
  }
  const [stuck] = pending;
  if (stuck !== undefined) throw failed(stuck, new Error(`it is not ready after ${PASSES_MAX} passes`));
}

function ordered(core: KernelCore, records: readonly ResourceRecord[]): readonly ResourceRecord[] {
  const ordering = orderOf(records, (record) => needsOf(record));
  if ('order' in ordering) return ordering.order.filter(({ state }) => state === 'declared' || state === 'created');
  const names = ordering.circle.map(({ name }) => name);
  throw new InvokeError(
    'ERR_CIRCULAR_DEPENDENCY',
    `Cannot order the resources of "${core.module.name}": ${names.join(' → ')} depend on each other`,
    {
      circle: names,
      hint: 'Break the circle: one of them must not refer to the next.',
    },
  );
}

function needsOf(record: ResourceRecord): { hard: readonly ResourceRecord[]; soft: readonly ResourceRecord[] } {
  const { scope, manifest, definition } = record;
  const hard = new Set<ResourceRecord>();
  for (const { container, key } of referenceSlots(definition.schema, manifest))
    add(hard, targetOf(record, Reflect.get(container, key)));
  for (const need of snapshotsRead(record)) hard.add(need);
  const soft = new Set<ResourceRecord>();
  for (const ref of kindRefsOf(manifest)) add(soft, scope.find(ref.name, ref.alias));
  // What is made inside it later needs its own needs to be there by then.
  for (const field of scopedFields(record)) {
    for (const leaf of leavesOf(record.fields[field]))
      if (leaf instanceof Reference) add(soft, scope.find(leaf.name, leaf.alias));
  }
  return { hard: [...hard], soft: [...soft].filter((need) => !hard.has(need) && need !== record) };
}

function add(set: Set<ResourceRecord>, record: ResourceRecord | undefined): void {
  if (record !== undefined) set.add(record);
}

function targetOf(record: ResourceRecord, value: unknown): ResourceRecord | undefined {
  const ref = readKindRef(value);
  return ref === undefined ? undefined : record.scope.find(ref.name, ref.alias);
}

/** Where a record's configuration is evaluated before `create`: as its kind says, or all of it for a Provider. */
function slotsToEvaluate({ definition, manifest, fields }: ResourceRecord): readonly CompileSlot[] {
  if (definition.capability !== 'Telo.Provider') return compileSlots(definition.schema, manifest);
  const properties = plainObject(definition.schema['properties']);
  return Object.keys(fields).map((key) => ({
    path: [key],
    container: manifest,
    key,
    schema: plainObject(properties[key]),
  }));
}

/** Resources whose snapshots are read before `create`. */
function snapshotsRead(record: ResourceRecord): ReadonlySet<ResourceRecord> {
  const read = new Set<ResourceRecord>();
  for (const { container, key } of slotsToEvaluate(record)) {
    for (const leaf of leavesOf(Reflect.get(container, key))) {
      if (leaf instanceof Expression) for (const name of resourcesRead(leaf)) add(read, record.scope.find(name));
    }
  }
  return read;
}

/** One step of one resource's way to `ready`. Answers false when it has to wait for the next pass. */
async function advanced(core: KernelCore, record: ResourceRecord): Promise<boolean> {
  if (record.state === 'ready') return true;
  const { controller, context } = await prepared(core, record);
  try {
    if (record.state !== 'created' && !(await create(core, record, { controller, context }))) return false;
    if (!inject(record)) return false;
    await record.instance?.init?.(context);
    record.state = 'ready';
    await core.publish(record);
    return true;
  } catch (error) {
    if (passesUncaught(error) || codeOf(error) === 'ERR_RESOURCE_INITIALIZATION_FAILED') throw error;
    throw failed(record, error);
  }
}

type Prepared = {
  controller: Awaited<ReturnType<KernelCore['definitions']['controller']>>;
  context: ReturnType<typeof contextFor>;
};

async function prepared(core: KernelCore, record: ResourceRecord): Promise<Prepared> {
  const controller = await core.definitions.controller(record.definition, () => new ApplicationContext(core));
  record.context ??= contextFor(core, record);
  return { controller, context: record.context };
}

async function create(core: KernelCore, record: ResourceRecord, { controller, context }: Prepared): Promise<boolean> {
  if (record.state === 'declared') {
    if ([...snapshotsRead(record)].some(({ state }) => state !== 'ready')) return false;
    evaluateCompiled(record);
    record.state = 'creating';
  }
  const instance = await controller.create(record.manifest, context);
  if (instance === null) return false;
  adopt(core, record, instance);
  return true;
}

function adopt(core: KernelCore, record: ResourceRecord, instance: ResourceInstance): void {
  const { kind, name, scope, pointer, definition } = record;
  record.instance = instance;
  record.state = 'created';
  record.readiness = core.nextReadiness();
  markInstance(instance);
  stampRefIdentity(
    instance,
    kind,
    name,
    pointer === undefined ? { module: scope.name } : { module: scope.name, pointer },
  );
  const source = core.definitions.sourceOf(definition);
  const kindScope = (source === undefined ? undefined : core.scopeOf(source.module)) ?? scope;
  const type = (member: 'inputType' | 'outputType'): object | undefined =>
    schemaOfType(record.fields[member], scope) ?? schemaOfType(definition[member], kindScope);
  bindContract(record, instance, { input: type('inputType'), output: type('outputType') });
}

/** Puts live instances into the reference slots. Answers false while one of them is not there yet. */
function inject(record: ResourceRecord): boolean {
  const slots = referenceSlots(record.definition.schema, record.manifest);
  const live = slots.map(({ container, key }) => ({
    container,
    key,
    target: targetOf(record, Reflect.get(container, key)),
  }));
  if (live.some(({ target }) => target !== undefined && target.state !== 'ready')) return false;
  for (const { container, key, target } of live)
    if (target?.instance !== undefined) Reflect.set(container, key, target.instance);
  return true;
}

/**
 * Evaluates what the kind declares as evaluated before `create`, and holds the values to the kind's schema: the check
 * of the manifest could not see them.
 */
function evaluateCompiled(record: ResourceRecord): void {
  for (const { path, container, key, schema } of slotsToEvaluate(record)) {
    const authored: unknown = Reflect.get(container, key);
    if (![...leavesOf(authored)].some((leaf) => leaf instanceof Expression)) continue;
    const value = expand(authored, () => record.scope.values);
    const { problems } = checkSchema(configurationSchema(schema), value, { defaults: false });
    if (problems.length > 0) throw misconfigured(record, path, problems);
    Reflect.set(container, key, value);
  }
}

function misconfigured(
  record: ResourceRecord,
  path: readonly (string | number)[],
  problems: readonly string[],
): InvokeError {
  const where = path.join('.');
  const message = `Cannot create ${record.kind} "${record.name}": ${where} ${problems.join('; ')}`;
  const data = { path: where, problems, hint: 'Correct the expression, so that its kind admits the value.' };
  return new InvokeError('ERR_RESOURCE_SCHEMA_VALIDATION_FAILED', message, data);
}

function failed(record: ResourceRecord, cause: unknown): InvokeError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const data = {
    kind: record.kind,
    name: record.name,
    code: codeOf(cause),
    hint: `Correct ${record.kind} "${record.name}".`,
  };
  return new InvokeError(
    'ERR_RESOURCE_INITIALIZATION_FAILED',
    `Cannot initialise ${record.kind} "${record.name}": ${message}`,
    data,
    { cause },
  );
}
