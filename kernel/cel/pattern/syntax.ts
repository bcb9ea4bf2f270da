/** A pattern as a tree. Characters are code points. */
export type PatternNode =
  | { readonly type: 'empty' }
  | { readonly type: 'character'; readonly admits: (character: number) => boolean }
  | { readonly type: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly nodes: readonly PatternNode[] }
  | {
      readonly type: 'repeat';
      readonly node: PatternNode;
      readonly least: number;
      readonly most: number;
      readonly greedy: boolean;
    }
  | { readonly type: 'group'; readonly index: number; readonly node: PatternNode }
  | { readonly type: 'assertion'; readonly holds: (text: string, at: number) => boolean };

export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

export interface ParsedPattern {
  readonly node: PatternNode;
  readonly groups: number;
  /** Group names by index. */
  readonly names: ReadonlyMap<number, string>;
}

/** @throws Error with what is wrong. Pure. */
export function patternError(pattern: string, reason: string): Error {
  return new Error(`Invalid regular expression: ${pattern}: ${reason}`);
}

/** Reads the letters `i`, `m` and `s`. Pure. @throws Error for any other. */
export function readFlags(
  letters: string,
  base: Flags = { ignoreCase: false, multiline: false, dotAll: false },
): Flags {
  const [on = '', off = ''] = letters.split('-');
  const unknown = /[^ims]/.exec(on + off)?.[0];
  if (unknown !== undefined) throw new Error(`Unknown regular expression flag: ${unknown}`);
  const value = (letter: string, before: boolean): boolean => !off.includes(letter) && (before || on.includes(letter));
  return {
    ignoreCase: value('i', base.ignoreCase),
    multiline: value('m', base.multiline),
    dotAll: value('s', base.dotAll),
  };
}
