import { createHash, randomBytes } from 'node:crypto';
import type { DurableRunHandle, ParkUntil } from '@telorun/sdk';
import { InvokeError, parkRun, stepPath } from '@telorun/sdk';
import { hasExactly, isMembers } from '../admission/shape.ts';
import { recordUnreadable } from '../errors.ts';
import type { DoubtPolicy } from '../vocabulary/host-operation.ts';
import type { DoubtDecision } from './doubt-decision.ts';
import { DOUBT_SCHEMA, readDoubtDecision } from './doubt-decision.ts';

/** Bytes of a token that an answer to a doubt is given under. */
const TOKEN_BYTES = 24;
/** Bytes that tell one begin of a call from another one under the same key. */
const NONCE_BYTES = 8;
/** Thrown out of a step that only asks what is on record; never leaves this file. */
const NOTHING_RECORDED = new Error('Nothing is recorded there');

/** A call of a host's resource that is about to be made. */
export interface Call {
  /** The run's own handle: a suspension is latched on it. */
  readonly run: DurableRunHandle;
  /** The same handle, watched. */
  readonly records: DurableRunHandle;
  /** Path of the occurrence, and of the effect. */
  readonly base: string;
  readonly path: string;
  readonly attempt: number;
  readonly key: string;
  readonly inDoubt: DoubtPolicy;
  /** `<Kind>/<name>` of the target. */
  readonly target: string;
  /** @throws InvokeError ERR_DURABLE_SUSPEND_FORBIDDEN where no run may wait */
  assertMayPark(resource: string): void;
}

/** Whether the call is to be made, or what was decided that it came to. */
export type Beginning = { readonly kind: 'call' } | { readonly kind: 'decided'; readonly value: unknown };

/** The idempotency key of an effect: the same in every process and attempt. Pure. @see kernel-specs/host-operations.md HO-10 */
export function idempotencyKey(runId: string, path: string): string {
  return createHash('sha256').update(`${runId}#${path}`).digest('hex');
}

/**
 * Records that a call begins. One that a former execution began, and that did not come back, is in doubt.
 *
 * Durable: one decision at `<effect>/begun`, in attempt n >= 1 at `<effect>/begun[n]`; a doubt parks at `<effect>/doubt`
 * (`doubt[n]`), and what is decided there is its entry.
 *
 * @throws InvokeError ERR_XMD_IN_DOUBT when it was decided to have failed; ERR_XMD_RECORD_UNREADABLE
 * @see docs/adr/0017-calls-in-doubt.md
 */
export async function beginCall(call: Call): Promise<Beginning> {
  for (let former = 0; former < call.attempt; former += 1) {
    if (await isOpen(call, former)) {
      return resolveDoubt(call, former);
    }
  }
  return resolveDoubt(call, call.attempt);
}

/** Whether a former attempt left a call in doubt. One that was decided to have failed fails again. */
async function isOpen(call: Call, former: number): Promise<boolean> {
  const { records, base } = call;
  if (records.recorded?.(placeAt(call, 'begun', former)) === false) {
    return false;
  }
  const outcome = stepPath(base, 'generated_xmd', former === 0 ? 'outcome' : `outcome[${former}]`);
  if (records.recorded?.(outcome) === false) {
    return true;
  }
  // Its failure is on record: the call came back, or a person said that it had failed.
  let at = placeAt(call, 'doubt', former);
  for (let decided = await peek(call, at); decided !== undefined; decided = await peek(call, at)) {
    if (decided.decision === 'fail') {
      throw decidedToFail(call);
    }
    at = `${at}/doubt`;
  }
  return false;
}

async function resolveDoubt(call: Call, attempt: number): Promise<Beginning> {
  let begun = placeAt(call, 'begun', attempt);
  let doubt = placeAt(call, 'doubt', attempt);
  while (!(await recordBegin(call, begun))) {
    const decided = (await peek(call, doubt)) ?? (call.inDoubt === 'retry' ? undefined : await ask(call, doubt));
    if (decided === undefined) {
      return { kind: 'call' };
    }
    if (decided.decision === 'done') {
      return { kind: 'decided', value: decided.value };
    }
    if (decided.decision === 'fail') {
      throw decidedToFail(call);
    }
    // One decision is good for one call: a second one is begun, and doubted, below the first doubt.
    begun = `${doubt}/begun`;
    doubt = `${doubt}/doubt`;
  }
  return { kind: 'call' };
}

/** Answers whether the begin is this one; a handle may answer what another process recorded first. */
async function recordBegin(call: Call, at: string): Promise<boolean> {
  let mine: string | undefined;
  const recorded: unknown = await call.records.decide<unknown>(at, 'value', () => {
    mine = randomBytes(NONCE_BYTES).toString('hex');
    return { key: call.key, call: mine };
  });
  if (!isMembers(recorded) || !hasExactly(recorded, ['key', 'call']) || recorded['key'] !== call.key) {
    throw recordUnreadable(at, 'the begin of a call');
  }
  return mine !== undefined && recorded['call'] === mine;
}

async function peek(call: Call, at: string): Promise<DoubtDecision | undefined> {
  const { records } = call;
  if (records.recorded?.(at) === false) {
    return undefined;
  }
  try {
    return readDoubtDecision(await records.step(at, undefined, {}, () => Promise.reject(NOTHING_RECORDED)), at);
  } catch (error) {
    if (error === NOTHING_RECORDED) {
      return undefined;
    }
    throw error;
  }
}

async function ask(call: Call, at: string): Promise<DoubtDecision> {
  const { run, records, target } = call;
  const resource = `Doubt/${target}`;
  const decided = await records.step(at, undefined, {}, async () => {
    call.assertMayPark(resource);
    const until: WaitUntil = { ...(await tokenFor(call, at)), schema: DOUBT_SCHEMA, request: questionOf(call) };
    return parkRun(run, { path: at, resource }, until);
  });
  return readDoubtDecision(decided, at);
}

/** A host of ours keeps what a person is asked with the wait; another one leaves it out. */
interface WaitUntil extends ParkUntil {
  readonly schema: unknown;
  readonly request: string;
}

/** Only `ask` hands a token out; `refuse` is decided by whoever may write to the journal. */
async function tokenFor({ inDoubt, records }: Call, at: string): Promise<ParkUntil> {
  return inDoubt === 'ask'
    ? { token: await records.decide(`${at}/token`, 'value', () => randomBytes(TOKEN_BYTES).toString('hex')) }
    : {};
}

function questionOf({ target, key }: Call): string {
  return (
    `The call of ${target} had begun when a process ended, and its result is not on record: it may have happened. ` +
    `Its idempotency key is ${key}. Decide done (with the value it has), retry or fail.`
  );
}

function decidedToFail({ path, target }: Call): InvokeError {
  return new InvokeError('ERR_XMD_IN_DOUBT', `Cannot finish "${path}": its call was decided to have failed`, {
    effect: path,
    reason: 'decided-failed',
    target,
    hint: 'Start a new run once it is clear what the call did.',
  });
}

function placeAt({ path }: Call, word: 'begun' | 'doubt', attempt: number): string {
  return attempt === 0 ? `${path}/${word}` : `${path}/${word}[${attempt}]`;
}
