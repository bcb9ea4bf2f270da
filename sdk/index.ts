export type { CancellationToken } from './cancellation.ts';
export {
  cancellationError,
  createCancellationSource,
  isCancellationError,
  NEVER_CANCELLED,
  UNCANCELLABLE_CONTEXT,
} from './cancellation.ts';
export type {
  CancellationSource,
  ControllerContext,
  ControllerModule,
  Invocable,
  KindRef,
  Logger,
  ModuleContext,
  RefIdentity,
  ResourceContext,
  ResourceInstance,
  ResourceManifest,
  Validator,
} from './controller.ts';
export { isInvocable, resolveInvocableDispatcher, resolveRefInstance } from './dispatch.ts';
export type { InvocableInstance } from './dispatch.ts';
export type {
  DecisionKind,
  DurableRunHandle,
  DurableTarget,
  ParkPlace,
  ParkUntil,
  ZoneModeInfo,
} from './durable-run.ts';
export { decodeDurableTarget, encodeDurableTarget, targetOf } from './durable-target.ts';
export { parseDurationMs, tryParseDurationMs } from './duration.ts';
export { bigIntAt, integerInput } from './integer.ts';
export type { ContextOverrides, InvokeContext } from './invoke-context.ts';
export { deriveContext, durableHandleOf } from './invoke-context.ts';
export { codeOf, InvokeError, isInvokeError } from './invoke-error.ts';
export type { JournalMode } from './journaling.ts';
export { collapsesJournalEntries, journalingSuppressed } from './journaling.ts';
export { assertFaithful, assertJournalable, unjournalableAt } from './journalable.ts';
export { decodeJsonValue, encodeJsonValue } from './json-value.ts';
export { isRunLost, passesUncaught } from './passing.ts';
export { getRefIdentity, stampRefIdentity } from './ref-identity.ts';
export { RuntimeError } from './runtime-error.ts';
export { SEVERITY } from './severity.ts';
export { nestedSegment, pathSegment, repeatPath, stepPath } from './step-path.ts';
export type { StepEngineOptions } from './step-engine.ts';
export { bodyPath, StepEngine } from './step-engine.ts';
export { isStream, Stream } from './stream.ts';
export {
  assertMaySuspend,
  assertNotSwallowed,
  DurableSuspension,
  isSuspension,
  latchedSuspension,
  parkRun,
  SUSPENDING_BACKOFF_MS,
} from './suspension.ts';
export type { OpenZone, ZoneAttribute, ZoneEntry } from './zone.ts';
export type { GuardedOperation } from './steps/catches.ts';
export { withCatches } from './steps/catches.ts';
export type { SequenceError } from './steps/failure.ts';
export { PLAIN_ERROR_CODE, toSequenceError } from './steps/failure.ts';
export type { Frame, ScopeContext, StepClock } from './steps/frame.ts';
export { executeInvokeStep } from './steps/invoke.ts';
export type { RetryPolicy } from './steps/retry-policy.ts';
export { readRetryPolicy, retryBackoffMs } from './steps/retry-policy.ts';
export type { NamedStep, Step } from './steps/step.ts';
export { readSteps } from './steps/step.ts';
