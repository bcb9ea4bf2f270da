import {
  createCancellationSource,
  deriveContext,
  getRefIdentity,
  InvokeError,
  NEVER_CANCELLED,
  stampRefIdentity,
  UNCANCELLABLE_CONTEXT,
  type CancellationToken,
  type DurableRunHandle,
  type InvokeContext,
  type KindRef,
  type Logger,
  type ModuleContext,
  type OpenZone,
  type ResourceContext,
  type ResourceInstance,
  type Validator,
  type ZoneAttribute,
  type ZoneEntry,
} from '@telorun/sdk';
import { Ajv } from 'ajv';
import { PassThrough } from 'node:stream';

/** A record of one dispatch through the chokepoint. */
interface Dispatch {
  readonly kind: string;
  readonly name: string;
  readonly inputs: unknown;
  readonly path: string | undefined;
  readonly attempt: number | undefined;
}

export interface ResourceContextOptions {
  readonly name?: string;
  readonly kind?: string;
  /** Live instances by name; `resource()` makes them. */
  readonly resources?: Readonly<Record<string, ResourceInstance>>;
  /** Attributes that each slot's zone declares, for `withZone` and `zoneAttributes`. */
  readonly zones?: Readonly<Record<string, Partial<Record<ZoneAttribute, string>>>>;
  /** Open zones that someone else opened: those that the body of a run starts in. */
  readonly openZones?: (ctx: InvokeContext) => readonly OpenZone[];
  readonly moduleContext?: ModuleContext;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly protectedPaths?: readonly string[];
}

export type RecordingContext = ResourceContext & {
  /** Every dispatch so far, in order. */
  readonly dispatched: Dispatch[];
  readonly emitted: { readonly event: string; readonly payload: unknown }[];
  readonly logged: { readonly level: string; readonly message: string; readonly attributes: unknown }[];
  /** Work started by `runDetached`. */
  readonly detached: Promise<unknown>[];
  readonly inline: { readonly name: string; readonly value: unknown }[];
};

/** A live instance with an identity, from a function. */
export function resource(
  kind: string,
  name: string,
  invoke: (inputs: unknown, ctx: InvokeContext | undefined) => unknown,
  module = 'tests',
): ResourceInstance {
  const instance: ResourceInstance = { invoke: async (inputs, ctx) => invoke(inputs, ctx) };
  stampRefIdentity(instance, kind, name, { module });
  return instance;
}

/** A context inside a durable run. */
export function durableContext(
  handle: DurableRunHandle,
  durablePath?: string,
  overrides: { readonly attempt?: number; readonly cancellation?: CancellationToken } = {},
): InvokeContext {
  return deriveContext(UNCANCELLABLE_CONTEXT, {
    durable: handle,
    ...(durablePath === undefined ? {} : { durablePath }),
    ...overrides,
  });
}

/** Functions stand for compiled expressions: each is called with the scope. Live instances are carried along. */
function expand(value: unknown, scope: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'function') return Reflect.apply(value, undefined, [scope]) as unknown;
  if (Array.isArray(value)) return value.map((item) => expand(item, scope));
  if (typeof value !== 'object' || value === null || getRefIdentity(value) !== undefined) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member, scope)]));
}

function isRef(value: unknown): value is KindRef {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'name') === 'string';
}

function isInstance(value: unknown): value is ResourceInstance {
  return (
    typeof value === 'object' &&
    value !== null &&
    (typeof Reflect.get(value, 'invoke') === 'function' || getRefIdentity(value) !== undefined)
  );
}

function validatorOf(schema: unknown): Validator {
  const ajv = new Ajv({ strict: false, allErrors: true });
  const validate = ajv.compile(typeof schema === 'object' && schema !== null ? schema : {});
  return {
    validate: (value) => {
      if (validate(value)) return;
      throw new InvokeError('ERR_INPUT_INVALID', `Cannot accept the value: ${ajv.errorsText(validate.errors)}`);
    },
  };
}

function loggerInto(logged: RecordingContext['logged']): Logger {
  const at = (level: string) => (message: string, attributes?: Record<string, unknown>) => {
    logged.push({ level, message, attributes });
  };
  return { trace: at('trace'), debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A resource context that the step engine and controllers run in, with everything it was asked for on record. */
export function resourceContext(options: ResourceContextOptions = {}): RecordingContext {
  const { name = 'subject', kind = 'Test.Subject', zones = {}, env = {} } = options;
  const resources = new Map(Object.entries(options.resources ?? {}));
  const attributes = new WeakMap<ZoneEntry, OpenZone>();
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  const dispatched: Dispatch[] = [];
  const emitted: { event: string; payload: unknown }[] = [];
  const logged: { level: string; message: string; attributes: unknown }[] = [];
  const detached: Promise<unknown>[] = [];
  const inline: { name: string; value: unknown }[] = [];

  const find = (reference: string): ResourceInstance => {
    const found = resources.get(reference);
    if (found !== undefined) return found;
    throw new InvokeError('ERR_RESOURCE_NOT_FOUND', `Cannot find "${reference}": no such resource`);
  };
  const dispatch: ResourceContext['invokeResolved'] = async (toKind, toName, instance, inputs, ctx) => {
    ctx?.cancellation.throwIfCancelled();
    dispatched.push({ kind: toKind, name: toName, inputs, path: ctx?.durablePath, attempt: ctx?.attempt });
    if (instance.invoke === undefined) {
      throw new InvokeError('ERR_RESOURCE_NOT_INVOKABLE', `Cannot invoke "${toName}": it has no invoke`);
    }
    return instance.invoke(inputs, ctx);
  };

  return {
    dispatched,
    emitted,
    logged,
    detached,
    inline,
    env,
    args: { _: [] },
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    log: loggerInto(logged),
    self: { ref: { kind, name } },
    moduleContext: options.moduleContext ?? { source: 'file:///app/telo.yaml' },
    on: (event, listener) => {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener));
      return () => set.delete(listener);
    },
    emit: (event, payload) => {
      emitted.push({ event: `${name}.${event}`, payload });
      for (const listener of listeners.get(`${name}.${event}`) ?? []) listener(payload);
    },
    acquireHold: () => () => undefined,
    requestExit: () => undefined,
    expandValue: (value, scope = {}) => expand(value, scope),
    invoke: (toKind, toName, inputs, { ctx } = {}) => dispatch(toKind, toName, find(toName), inputs, ctx),
    invokeResolved: dispatch,
    run: async (toName) => {
      await find(toName).run?.();
    },
    resolveRef: (value, guard, describe) => {
      if (value === undefined || value === null) {
        throw new InvokeError('ERR_REF_REQUIRED', `Cannot resolve ${describe}: it is missing`);
      }
      const instance = isInstance(value) ? value : isRef(value) ? resources.get(value.name) : undefined;
      if (instance !== undefined && guard(instance)) return instance;
      throw new InvokeError('ERR_REF_UNRESOLVED', `Cannot resolve ${describe}: no such resource`);
    },
    ensureKindRef: (value, inlineName = `inline${inline.length}`) => {
      if (isRef(value)) return value;
      inline.push({ name: inlineName, value });
      const inlineKind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined;
      const ref = { kind: String(inlineKind), name: inlineName };
      resources.set(
        inlineName,
        resource(ref.kind, inlineName, (inputs) => ({ inline: inlineName, inputs })),
      );
      return ref;
    },
    withZone: async (slot, work, base = UNCANCELLABLE_CONTEXT) => {
      const entry: ZoneEntry = { kind, provider: {} };
      attributes.set(entry, { kind, attributes: zones[slot] ?? {}, entry });
      return work(deriveContext(base, { zones: [...(base.zones ?? []), entry] }), entry);
    },
    zoneAttributes: (ctx) => {
      if (ctx?.zones === undefined) return [];
      const opened = options.openZones?.(ctx) ?? [];
      return ctx.zones
        .map(
          (entry) =>
            attributes.get(entry) ??
            opened.find((zone) => zone.entry === entry) ?? { kind: entry.kind, attributes: {}, entry },
        )
        .reverse();
    },
    rootContext: ({ cancellation = NEVER_CANCELLED } = {}) => ({ cancellation }),
    runDetached: (work) => {
      detached.push(work());
    },
    createCancellationSource,
    createSchemaValidator: validatorOf,
    createTypeValidator: validatorOf,
    resolveModuleFile: async (relative) => new URL(relative, 'file:///app/telo.yaml').href,
    getEntryUrl: () => 'file:///app/telo.yaml',
    ...(options.protectedPaths === undefined ? {} : { protectedPaths: () => options.protectedPaths ?? [] }),
  };
}
