import { patternError } from './syntax.ts';
import type { PatternNode } from './syntax.ts';

/** One instruction; those without a target go on with the next. */
export type Instruction =
  | { readonly op: 'character'; readonly admits: (character: number) => boolean }
  | { readonly op: 'assertion'; readonly holds: (text: string, at: number) => boolean }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'match' }
  /** Tries `first` before `second`. */
  | { op: 'split'; first: number; second: number };

const MAX_INSTRUCTIONS = 10_000;

/** Turns a pattern into a program whose size is bounded. Pure. @throws Error when it would be larger. */
export function programOf(node: PatternNode, pattern: string): readonly Instruction[] {
  const program: Instruction[] = [];
  // An empty part emits nothing however often it is repeated: what is counted is the repeating.
  let emitted = 0;
  emit({ type: 'group', index: 0, node });
  program.push({ op: 'match' });
  return program;

  function emit(one: PatternNode): void {
    emitted += 1;
    if (program.length > MAX_INSTRUCTIONS || emitted > 4 * MAX_INSTRUCTIONS)
      throw patternError(pattern, 'too large once its counts are written out');
    switch (one.type) {
      case 'empty':
        return;
      case 'character':
        program.push({ op: 'character', admits: one.admits });
        return;
      case 'assertion':
        program.push({ op: 'assertion', holds: one.holds });
        return;
      case 'group':
        program.push({ op: 'save', slot: one.index * 2 });
        emit(one.node);
        program.push({ op: 'save', slot: one.index * 2 + 1 });
        return;
      case 'sequence':
        for (const part of one.nodes) emit(part);
        return;
      case 'choice':
        choice(one.nodes);
        return;
      case 'repeat':
        repeat(one);
    }
  }

  function choice([first, ...rest]: readonly PatternNode[]): void {
    if (first === undefined) return;
    if (rest.length === 0) {
      emit(first);
      return;
    }
    const fork = split();
    fork.first = program.length;
    emit(first);
    const leave = split();
    fork.second = program.length;
    choice(rest);
    leave.first = leave.second = program.length;
  }

  function repeat({ node: body, least, most, greedy }: PatternNode & { readonly type: 'repeat' }): void {
    for (let count = 0; count < least; count += 1) emit(body);
    if (most === Infinity) {
      const at = program.length;
      const fork = split();
      const inside = program.length;
      emit(body);
      const back = split();
      back.first = back.second = at;
      aim(fork, inside, program.length, greedy);
      return;
    }
    const forks: { fork: ReturnType<typeof split>; inside: number }[] = [];
    for (let count = least; count < most; count += 1) {
      const fork = split();
      forks.push({ fork, inside: program.length });
      emit(body);
    }
    for (const { fork, inside } of forks) aim(fork, inside, program.length, greedy);
  }

  function split(): Instruction & { op: 'split' } {
    const made: Instruction & { op: 'split' } = { op: 'split', first: 0, second: 0 };
    program.push(made);
    return made;
  }

  function aim(fork: Instruction & { op: 'split' }, inside: number, after: number, greedy: boolean): void {
    fork.first = greedy ? inside : after;
    fork.second = greedy ? after : inside;
  }
}
