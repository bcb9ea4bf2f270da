import type { KindRef, ResourceContext, ResourceInstance } from '../controller.ts';
import type { DecisionKind, DurableRunHandle } from '../durable-run.ts';
import type { InvokeContext } from '../invoke-context.ts';
import type { Step } from './step.ts';

/** Answers the live instances that a `with:` scope holds. */
export interface ScopeContext {
  resolve(ref: KindRef): ResourceInstance | undefined;
}

/** Where the engine takes time and chance from. */
export interface StepClock {
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 up to, not including, 1. */
  random(): number;
}

/** What the steps of one body share. */
export interface Frame {
  readonly ctx: ResourceContext;
  readonly resourceName: string;
  readonly clock: StepClock;
  /** What expressions see: the caller's names, and `steps`. */
  readonly cel: Readonly<Record<string, unknown>>;
  /** `{result}` by step name, shared by every nested body. */
  readonly results: Record<string, unknown>;
  readonly scope: ScopeContext | undefined;
  readonly invokeCtx: InvokeContext | undefined;
  /** Where entries are written; absent outside a run and in a collapsed region. */
  readonly handle: DurableRunHandle | undefined;
  /** The attempt at the dispatch that led here, from 0. */
  readonly attempt: number;
  /** Nothing may be performed: the first thing that is not on record ends the body. */
  readonly replayOnly: boolean;
  readonly runBody: (body: unknown, path: string, frame: Frame) => Promise<void>;
  /** The reference of an inline `invoke`, registered in `init`. */
  readonly inlineRef: (step: Step) => KindRef | undefined;
}

/** Decides through the journal where there is one, else here. */
export function decide<T>(frame: Frame, path: string, kind: DecisionKind, compute: () => T): T | Promise<T> {
  return frame.handle === undefined ? compute() : frame.handle.decide(path, kind, compute);
}

/** Whether an expression is truthy. Durable: a boolean at `path`. */
export function decideTruth(
  frame: Frame,
  path: string,
  kind: 'predicate' | 'condition',
  expression: unknown,
): boolean | Promise<boolean> {
  return decide(frame, path, kind, () => Boolean(frame.ctx.expandValue(expression, frame.cel)));
}
