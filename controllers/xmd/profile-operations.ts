import type {
  DurableTarget,
  InvokeContext,
  RefIdentity,
  ResourceContext,
  ResourceInstance,
  Validator,
} from '@telorun/sdk';
import { getRefIdentity } from '@telorun/sdk';
import { isJsonValue, isMembers } from './admission/shape.ts';
import type { Members } from './admission/shape.ts';
import { profileRefused } from './errors.ts';
import type { HostOperationInputs } from './operations/host-operation.ts';
import { passesUnrecorded } from './performance/signals.ts';
import type { JsonObject } from './values/json.ts';
import type { CompileProps, DoubtPolicy, HostOperationDeclaration } from './vocabulary/host-operation.ts';
import { isAnswered } from './vocabulary/answered.ts';
import { hostOperation } from './vocabulary/host-operation.ts';
import type { Operation } from './vocabulary/operation.ts';
import { isElementName, isReservedName } from './vocabulary/reserved.ts';

/** One operation as a profile states it, its target not yet looked up. */
export interface StatedOperation {
  readonly declaration: HostOperationDeclaration;
  readonly invoke: unknown;
  readonly inputs: unknown;
  readonly result: unknown;
  readonly inDoubt?: DoubtPolicy;
}

/** One operation of the host, ready to be planned and called. */
export interface HostEntry {
  readonly operation: Operation;
  readonly target: DurableTarget;
  /** What is done about a call in doubt; undefined for a target that is entered again instead of called again. */
  readonly inDoubt: DoubtPolicy | undefined;
  /** What the target is given: the inputs of the profile, else the props. Pure, but for its expressions. */
  prepare(given: HostOperationInputs): unknown;
  /** Effect: dispatches the target through the kernel under a context whose path is the effect's. */
  dispatch(inputs: unknown, context: InvokeContext): Promise<unknown>;
  /** What the effect is worth: the result of the profile, else what the target answered. Pure. */
  finish(result: unknown): unknown;
}

const MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'form',
  'grant',
  'description',
  'revision',
  'props',
  'content',
  'invoke',
  'inputs',
  'result',
  'inDoubt',
]);

/** Kinds that park, or whose steps are recorded one by one: after a kill they are entered again, and go on. */
const ENTERED_AGAIN = /^(?:Durable|DurableLocal|Run|Xmd)\./;

/**
 * Reads the operations that a profile states, closed.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 */
export function readStatedOperations(value: unknown): readonly StatedOperation[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw operationRefused('its operations are not a list');
  }
  return value.map(readStatedOperation);
}

/** Nothing but this module answers for a name of its own; known before any target is. */
function assertNameIsFree(name: string): void {
  if (!isElementName(name) || isReservedName(name)) {
    const found = isElementName(name) ? `"${name}" is a name of its own` : `"${name}" is no element name`;
    throw profileRefused('operation-name', found, 'Name an operation with letters and digits, in a way of its own.');
  }
}

/** Looks up the target of a stated operation. @throws InvokeError ERR_XMD_PROFILE, ERR_REF_UNRESOLVED */
export function resolveOperation(stated: StatedOperation, ctx: ResourceContext, ownModule: string): HostEntry {
  const { declaration, inputs, result } = stated;
  const instance = ctx.resolveRef(stated.invoke, isInvocable, `operation "${declaration.name}"`, 'Telo.Executable');
  const identity = getRefIdentity(instance);
  if (identity === undefined) {
    throw operationRefused(`the target of "${declaration.name}" has no identity`);
  }
  const { kind, name } = identity;
  assertFits(stated, kind);
  const module = moduleOf(identity, ctx, ownModule);
  return {
    operation: hostOperation(declaration, {
      target: { kind, name, module },
      compileProps: compilePropsIn(ctx, declaration.name),
    }),
    target: module === '' ? { kind, name } : { kind, name, module },
    inDoubt: ENTERED_AGAIN.test(kind) ? undefined : (stated.inDoubt ?? 'retry'),
    prepare: (given) => expand(given, inputs, ctx),
    dispatch: (given, context) => ctx.invokeResolved(kind, name, instance, given, context),
    finish: (answered) => (result === undefined ? answered : ctx.expandValue(result, { result: answered })),
  };
}

/** What only the kind of the target tells: whether it is called, or entered again. */
function assertFits({ declaration, result, inDoubt = 'retry' }: StatedOperation, kind: string): void {
  if (inDoubt !== 'retry' && ENTERED_AGAIN.test(kind)) {
    throw operationRefused(`"${declaration.name}" states inDoubt ${inDoubt}, and ${kind} is entered again`);
  }
  if (result !== undefined && isAnswered({ kind })) {
    throw operationRefused(`"${declaration.name}" states a result, and the answer of ${kind} is its value`);
  }
}

/** Props are handed on as they are unless the profile states inputs; a paired element adds its content. */
function expand(given: HostOperationInputs, inputs: unknown, ctx: ResourceContext): unknown {
  if (inputs !== undefined) {
    const { props, content, effect } = given;
    return ctx.expandValue(inputs, { props, content, effect });
  }
  return given.content === '' ? given.props : { ...given.props, content: given.content };
}

// A Telo kernel states the URL of a manifest, which no record may hold; its own module's name is all that is known there.
function moduleOf({ origin }: RefIdentity, ctx: ResourceContext, ownModule: string): string {
  const module = origin?.module ?? '';
  if (!/[/:\\]/.test(module)) {
    return module;
  }
  return module === ctx.moduleContext.source ? ownModule : '';
}

function compilePropsIn(ctx: ResourceContext, name: string): CompileProps {
  return (schema) => {
    const validator = compile(schema, ctx, name);
    return (props) => {
      try {
        const verdict: unknown = validator.validate(props);
        return verdict !== false;
      } catch (error) {
        if (passesUnrecorded(error)) {
          throw error;
        }
        return false;
      }
    };
  };
}

function compile(schema: JsonObject, ctx: ResourceContext, name: string): Validator {
  try {
    return ctx.createSchemaValidator(schema);
  } catch (error) {
    if (passesUnrecorded(error)) {
      throw error;
    }
    throw operationRefused(`the props of "${name}" are not a JSON Schema`);
  }
}

function isInvocable(instance: ResourceInstance): instance is ResourceInstance {
  return typeof instance.invoke === 'function';
}

function readStatedOperation(value: unknown): StatedOperation {
  if (!isMembers(value) || !Object.keys(value).every((member) => MEMBERS.has(member))) {
    throw operationRefused('an operation has a member that it does not know');
  }
  const { name, form, grant, invoke, inputs } = value;
  if (typeof name !== 'string' || (form !== 'self-closing' && form !== 'paired')) {
    throw operationRefused('an operation has no name, or a form that is neither self-closing nor paired');
  }
  assertNameIsFree(name);
  if (grant !== 'read' && grant !== 'write') {
    throw operationRefused(`"${name}" has a grant that is neither read nor write`);
  }
  if (invoke === undefined) {
    throw operationRefused(`"${name}" has nothing to invoke`);
  }
  const content = value['content'] ?? (form === 'paired' ? 'text' : 'none');
  if (content !== 'text' && content !== 'none') {
    throw operationRefused(`"${name}" has content that is neither none nor text`);
  }
  const props = readProps(value, name);
  const inDoubt = readDoubtPolicy(value, { name, grant });
  assertContentIsFree({ name, content, props, inputs });
  return {
    declaration: {
      name,
      form,
      grant,
      content,
      description: readString(value, 'description', name) ?? '',
      revision: readRevision(value, name),
      ...(props === undefined ? {} : { props }),
      ...(content === 'text' && inputs === undefined ? { handsOnContent: true } : {}),
    },
    invoke,
    inputs,
    result: value['result'],
    ...(inDoubt === undefined ? {} : { inDoubt }),
  };
}

/** Without `inputs` the content is handed on as `content`, among the props: a prop of that name would hide it. */
function assertContentIsFree(stated: { name: string; content: string; props?: unknown; inputs: unknown }): void {
  const { name, content, props, inputs } = stated;
  const declared = isMembers(props) && isMembers(props['properties']) && Object.hasOwn(props['properties'], 'content');
  if (declared && content === 'text' && inputs === undefined) {
    throw operationRefused(`"${name}" has a prop named content, which would hide the content of the element`);
  }
}

function readRevision(value: Members, name: string): string {
  const revision = readString(value, 'revision', name);
  if (revision === undefined || revision === '') {
    throw operationRefused(`"${name}" has no revision`);
  }
  return revision;
}

/** A call that changes something may have happened: what to do then is the author's to say. */
function readDoubtPolicy(value: Members, { name, grant }: { name: string; grant: string }): DoubtPolicy | undefined {
  const { inDoubt } = value;
  if (inDoubt === undefined && grant === 'write') {
    throw operationRefused(`"${name}" writes and does not state inDoubt`);
  }
  if (inDoubt !== undefined && inDoubt !== 'retry' && inDoubt !== 'refuse' && inDoubt !== 'ask') {
    throw operationRefused(`"${name}" has inDoubt that is neither retry, refuse nor ask`);
  }
  return inDoubt;
}

function readString(value: Members, member: 'description' | 'revision', name: string): string | undefined {
  const stated = value[member];
  if (stated !== undefined && typeof stated !== 'string') {
    throw operationRefused(`the ${member} of "${name}" is not a string`);
  }
  return stated;
}

function readProps(value: Members, name: string): JsonObject | undefined {
  const { props } = value;
  if (props === undefined) {
    return undefined;
  }
  if (!isMembers(props) || !isJsonMembers(props)) {
    throw operationRefused(`the props of "${name}" are not a JSON Schema`);
  }
  return props;
}

function isJsonMembers(value: Members): value is JsonObject {
  return isJsonValue(value);
}

function operationRefused(found: string): Error {
  return profileRefused('operations', found, 'Correct the operations of the profile.');
}
