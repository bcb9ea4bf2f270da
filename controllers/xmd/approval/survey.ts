import { hash } from 'node:crypto';
import type { Plan, PlannedEffect, PlannedNode } from '../preflight/plan.ts';
import type { Files } from '../providers/files.ts';
import type { Limits } from '../vocabulary/limits.ts';
import { FileLook } from './file-look.ts';
import type { Former } from './file-look.ts';
import type { Target } from './target.ts';

/** A piece of what a file will hold: its characters, or the effect whose value will stand there. */
type Piece = string | { readonly from: string };

/** One effect as it would be performed now. */
export interface Surveyed {
  readonly effect: PlannedEffect;
  /** What it changes; a read, a folder, a request and a call change no file that is approved. */
  readonly target?: Target;
  /** What it would find there. */
  readonly former?: Former;
  /** What would be written, or given to an operation of the host. */
  readonly pieces?: readonly Piece[];
  /** Why it could not be performed now: a reason of FS-01, and the sentence for a person. */
  readonly problem?: { readonly reason: string; readonly message: string };
}

export interface SurveyOptions {
  readonly files: Files;
  readonly limits: Limits;
  /** Whether a person is going to see it: then the files that are changed are read, and every path is looked at. */
  readonly shown: boolean;
}

/**
 * Goes through a fragment in the order in which it would be performed, and says what each effect would find and leave.
 *
 * Effect: reads files, through the handles that the effects use. Synchronous, linear, does not recurse. A file that an
 * earlier effect changes is found as that effect leaves it.
 *
 * @see kernel-specs/approval.md AP-10 to AP-14
 */
export function survey(plan: Plan, options: SurveyOptions): readonly Surveyed[] {
  const walk = new SurveyWalk(options);
  walk.run(plan.nodes);
  return walk.surveyed;
}

/** The targets of a survey, in its order. Pure. */
export function targetsOf(surveyed: readonly Surveyed[]): readonly Target[] {
  return surveyed.flatMap(({ target }) => target ?? []);
}

interface Level {
  readonly nodes: readonly PlannedNode[];
  next: number;
  readonly owner?: { readonly effect: PlannedEffect; readonly opening: number };
}

/** What an earlier effect leaves: its text, null where it removes the file, undefined where that is not known. */
interface Left {
  readonly effect: string;
  readonly content: string | null | undefined;
}

/** What a paired File would write, and why it cannot. */
interface Written {
  readonly pieces?: readonly Piece[];
  readonly excess?: Surveyed['problem'];
}

class SurveyWalk {
  readonly surveyed: Surveyed[] = [];
  readonly #look: FileLook;
  readonly #shown: boolean;
  readonly #left = new Map<string, Left>();
  readonly #pieces: Piece[] = [];
  /** How many paired Files are open: what is read inside one is part of a file. */
  #within = 0;

  constructor({ files, limits, shown }: SurveyOptions) {
    this.#look = new FileLook(files, limits, shown);
    this.#shown = shown;
  }

  run(nodes: readonly PlannedNode[]): void {
    const levels: Level[] = [{ nodes, next: 0 }];
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const node = level.nodes[level.next];
      level.next += 1;
      if (node === undefined) {
        levels.pop();
        if (level.owner !== undefined) this.#leave(level.owner.effect, level.owner.opening);
      } else if (node.kind === 'text') {
        this.#pieces.push(node.text);
      } else {
        this.#enter(node);
        const children = node.literal === undefined ? node.children : [];
        levels.push({ nodes: children, next: 0, owner: { effect: node, opening: this.#pieces.length } });
      }
    }
  }

  #enter(effect: PlannedEffect): void {
    const key = keyOf(effect);
    if (key === 'File:write') this.#within += 1;
    if (key === 'Dir') this.surveyed.push({ effect, ...(this.#shown ? this.#look.folder(effect) : {}) });
  }

  #leave(effect: PlannedEffect, opening: number): void {
    const key = keyOf(effect);
    if (key === 'Dir') return;
    const content = effect.literal === undefined ? this.#pieces.splice(opening) : [effect.literal];
    this.#pieces.length = opening;
    if (key === 'File:write') {
      this.#within -= 1;
      this.#write(effect, content);
    } else if (key === 'File.Delete') {
      this.#change(effect, null);
    } else if (key === 'File:read') {
      this.#read(effect);
    } else {
      this.surveyed.push({ effect, pieces: content });
      // A request renders nothing; what a host operation answers may be a text.
      if (key !== 'Fetch') this.#pieces.push({ from: effect.segment });
    }
  }

  #write(effect: PlannedEffect, pieces: readonly Piece[]): void {
    const texts = pieces.filter((piece) => typeof piece === 'string');
    const known = texts.length === pieces.length ? texts.join('') : undefined;
    const excess = known === undefined ? undefined : this.#look.excess(effect, known);
    this.#change(
      effect,
      excess === undefined ? known : undefined,
      excess === undefined ? { pieces } : { pieces, excess },
    );
  }

  #change(effect: PlannedEffect, content: string | null | undefined, written: Written = {}): void {
    const { segment } = effect;
    const { pieces, excess } = written;
    const found = this.#look.before(effect, pieces === undefined ? 'delete' : 'write');
    const { place, before, former } = found;
    const problem = found.problem ?? excess;
    const earlier = found.problem === undefined ? this.#left.get(place) : undefined;
    this.#left.set(place, { effect: segment, content });
    const target: Target = {
      effect: segment,
      place,
      before: earlier === undefined ? before : { after: earlier.effect },
      ...(pieces === undefined ? {} : { content: typeof content === 'string' ? hash('sha256', content) : null }),
    };
    this.surveyed.push({
      effect,
      target,
      former: earlier === undefined ? former : formerAfter(earlier),
      ...(pieces === undefined ? {} : { pieces }),
      ...(problem === undefined ? {} : { problem }),
    });
  }

  #read(effect: PlannedEffect): void {
    const { segment } = effect;
    if (this.#within === 0 && !this.#shown) {
      this.surveyed.push({ effect });
      return;
    }
    const { place, text, problem } = this.#within === 0 ? this.#look.read(effect) : this.#look.source(effect);
    const earlier = this.#left.get(place);
    const known = earlier === undefined ? text : (earlier.content ?? undefined);
    // Counted as the evaluation counts it: files that are made of one another would double without end.
    if (this.#within > 0) this.#pieces.push(known !== undefined && this.#look.fits(known) ? known : { from: segment });
    this.surveyed.push({ effect, ...(problem === undefined || earlier !== undefined ? {} : { problem }) });
  }
}

function keyOf({ operation }: PlannedEffect): string {
  return operation.origin === 'standard' ? operation.identity.key : '';
}

function formerAfter({ content }: Left): Former {
  if (content === null) return { kind: 'absent' };
  return content === undefined
    ? { kind: 'unshown', why: 'what an earlier effect leaves' }
    : { kind: 'text', text: content };
}
