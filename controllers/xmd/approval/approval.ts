import { hash } from 'node:crypto';
import type { ApprovedChange } from '../operations/performer.ts';
import type { PlannedEffect } from '../preflight/plan.ts';
import type { FileObservation } from '../providers/files.ts';
import type { Target } from './target.ts';

/** What an effect left: nothing, or this text under a mode, undefined where that is the system's to give. */
type Left = { readonly absent: true } | { readonly sha256: string; readonly mode: number | undefined };

/**
 * An approval that holds, while its effects are performed in order.
 *
 * Effect: remembers what each performed effect left, for a later one on the same file.
 *
 * @see kernel-specs/approval.md AP-30
 */
export class Approval {
  readonly #targets: ReadonlyMap<string, Target>;
  readonly #left = new Map<string, Left>();

  constructor(targets: readonly Target[]) {
    this.#targets = new Map(targets.map((target) => [target.effect, target]));
  }

  /** What was approved of an effect; undefined for one that changes no file. */
  changeOf({ segment }: PlannedEffect): ApprovedChange | undefined {
    const target = this.#targets.get(segment);
    return target === undefined
      ? undefined
      : {
          place: target.place,
          before: (now) => this.#before(target, now),
          content: target.content ?? null,
        };
  }

  /** Notes that an effect was performed, now or before. */
  performed({ segment }: PlannedEffect, content: string): void {
    const target = this.#targets.get(segment);
    if (target === undefined) {
      return;
    }
    const left =
      target.content === undefined
        ? { absent: true as const }
        : { sha256: hash('sha256', content), mode: this.#modeOf(target) };
    this.#left.set(segment, left);
  }

  #before({ before }: Target, now: FileObservation): FileObservation | undefined {
    if ('problem' in before) {
      return undefined;
    }
    const expected = 'after' in before ? this.#left.get(before.after) : before;
    if (expected === undefined || 'absent' in expected) {
      return expected;
    }
    // A file that was made gets the mode that its system gives; whichever it is, it counts from here on.
    const { sha256, mode = 'mode' in now ? now.mode : 0 } = expected;
    return { sha256, mode };
  }

  #modeOf({ before }: Target): number | undefined {
    if ('mode' in before) {
      return before.mode;
    }
    const earlier = 'after' in before ? this.#left.get(before.after) : undefined;
    return earlier !== undefined && 'mode' in earlier ? earlier.mode : undefined;
  }
}
