import type { CancellationToken, DurableTarget, ResourceContext, ResourceInstance } from '@telorun/sdk';
import { getRefIdentity } from '@telorun/sdk';
import { isMembers, readCount } from '../admission/shape.ts';
import { fitsBytes } from '../fragment/characters.ts';
import { codeOf, passesUnrecorded } from '../performance/signals.ts';
import { modelFailed } from './problems.ts';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** What a model is asked for one draft. */
export interface DraftRequest {
  readonly messages: readonly Message[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly cancellation: CancellationToken;
}

/** What a model answered, as it is recorded. */
export interface Draft {
  readonly text: string;
  readonly finishReason: string;
  /** Tokens, where the model tells them. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number; readonly totalTokens: number };
}

/** A live model and where it is declared. */
export interface Model {
  readonly target: DurableTarget | undefined;
  /** Effect: asks once. @throws InvokeError ERR_XMD_PLAN_MODEL, and signals as they are */
  ask(request: DraftRequest): Promise<Draft>;
}

/** Most bytes of one answer; far beyond what any profile admits as a text. */
const ANSWER_BYTES_MAX = 67_108_864;

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/**
 * The model that a resource names: whatever has the methods of `Ai.Model`. It is called directly, as that contract says.
 *
 * Pure.
 *
 * @throws InvokeError ERR_REF_REQUIRED, ERR_REF_UNRESOLVED
 * @see kernel-specs/plan.md PL-03
 */
export function modelOf(slot: unknown, ctx: ResourceContext, ownModule: string): Model {
  const instance = ctx.resolveRef(slot, isModel, 'model', 'Ai.Model');
  return { target: targetOf(instance, ctx, ownModule), ask: (request) => ask(instance, request) };
}

type ModelInstance = ResourceInstance & { invoke: NonNullable<ResourceInstance['invoke']> };

function isModel(instance: ResourceInstance): instance is ModelInstance {
  return typeof instance.invoke === 'function' && typeof Reflect.get(instance, 'stream') === 'function';
}

async function ask(instance: ModelInstance, request: DraftRequest): Promise<Draft> {
  const answered = await answerOf(instance, request);
  const draft = readDraft(answered);
  if (draft === undefined) {
    throw modelFailed('answer');
  }
  if (!fitsBytes(draft.text, ANSWER_BYTES_MAX)) {
    throw modelFailed('answer-size');
  }
  return draft;
}

async function answerOf(instance: ModelInstance, { cancellation, ...request }: DraftRequest): Promise<unknown> {
  try {
    return await instance.invoke({ ...request, signal: cancellation.signal });
  } catch (error) {
    if (passesUnrecorded(error)) {
      throw error;
    }
    cancellation.throwIfCancelled();
    const code = codeOf(error);
    throw modelFailed(code !== undefined && CODE.test(code) ? code : 'error', error);
  }
}

/** A draft from what a model answered or a record holds; undefined when it is none. Pure. */
export function readDraft(value: unknown): Draft | undefined {
  if (!isMembers(value)) {
    return undefined;
  }
  const { text, finishReason, usage } = value;
  if (typeof text !== 'string' || typeof finishReason !== 'string') {
    return undefined;
  }
  const counted = isMembers(usage) ? usage : {};
  const [promptTokens, completionTokens, totalTokens] = ['promptTokens', 'completionTokens', 'totalTokens'].map(
    (name) => readTokens(counted[name]),
  );
  return {
    text,
    finishReason,
    ...(promptTokens === undefined || completionTokens === undefined || totalTokens === undefined
      ? {}
      : { usage: { promptTokens, completionTokens, totalTokens } }),
  };
}

function readTokens(value: unknown): number | undefined {
  return readCount(typeof value === 'bigint' ? Number(value) : value, 0);
}

// A Telo kernel states the URL of a manifest, which no record may hold.
function targetOf(instance: object, ctx: ResourceContext, ownModule: string): DurableTarget | undefined {
  const identity = getRefIdentity(instance);
  if (identity === undefined) {
    return undefined;
  }
  const { kind, name, origin } = identity;
  const stated = origin?.module ?? '';
  const isName = !/[/:\\]/.test(stated);
  const module = isName ? stated : stated === ctx.moduleContext.source ? ownModule : '';
  return module === '' ? { kind, name } : { kind, name, module };
}
