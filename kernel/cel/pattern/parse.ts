import { atWordBoundary, CLASS_ESCAPES, eitherCase, NAMED_CLASSES, unicodeClass } from './classes.ts';
import type { Admits } from './classes.ts';
import { patternError, readFlags } from './syntax.ts';
import type { Flags, ParsedPattern, PatternNode } from './syntax.ts';

const CONTROL: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7 };
const MAX_REPEAT = 1000;

/** Reads RE2 syntax. Pure. @throws Error for what is not in it: backreferences and lookaround among others. */
export function parsePattern(pattern: string, flags: Flags): ParsedPattern {
  return new PatternReader(pattern).read(flags);
}

class PatternReader {
  readonly #pattern: string;
  readonly #names = new Map<number, string>();
  #at = 0;
  #groups = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(flags: Flags): ParsedPattern {
    const node = this.#choice(flags);
    if (this.#at < this.#pattern.length) throw this.#error('unmatched )');
    return { node, groups: this.#groups, names: this.#names };
  }

  #choice(flags: Flags): PatternNode {
    const nodes = [];
    let current = flags;
    for (;;) {
      const { node, flags: after } = this.#sequence(current);
      current = after;
      nodes.push(node);
      if (!this.#take('|')) break;
    }
    const [only] = nodes;
    return nodes.length === 1 && only !== undefined ? only : { type: 'choice', nodes };
  }

  /** Flags set inside a group (`(?i)`) hold to the end of that group. */
  #sequence(flags: Flags): { node: PatternNode; flags: Flags } {
    const nodes: PatternNode[] = [];
    let current = flags;
    while (this.#at < this.#pattern.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const setting = /^\(\?([ims]*(?:-[ims]+)?)\)/.exec(this.#pattern.slice(this.#at));
      if (setting !== null) {
        this.#at += setting[0].length;
        current = readFlags(setting[1] ?? '', current);
      } else nodes.push(this.#repeated(this.#atom(current)));
    }
    return { node: nodes.length === 0 ? { type: 'empty' } : { type: 'sequence', nodes }, flags: current };
  }

  #repeated(node: PatternNode): PatternNode {
    const found = /^(?:([*+?])|\{(\d+)(,(\d*))?\})(\??)/.exec(this.#pattern.slice(this.#at));
    if (found === null) return node;
    const [whole, sign, from, comma, to, lazy] = found;
    this.#at += whole.length;
    if (/^[*+?]|^\{\d+(?:,\d*)?\}/.test(this.#pattern.slice(this.#at)))
      throw this.#error('a repetition of a repetition');
    const least = sign === undefined ? Number(from) : sign === '+' ? 1 : 0;
    const most = sign === undefined ? this.#most(least, comma, to) : sign === '?' ? 1 : Infinity;
    if (least > MAX_REPEAT || (most !== Infinity && most > MAX_REPEAT))
      throw this.#error(`a count above ${MAX_REPEAT}`);
    if (most < least) throw this.#error('a count that ends before it starts');
    return { type: 'repeat', node, least, most, greedy: lazy === '' };
  }

  #most(least: number, comma: string | undefined, to: string | undefined): number {
    if (comma === undefined) return least;
    return to === undefined || to === '' ? Infinity : Number(to);
  }

  #atom(flags: Flags): PatternNode {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group(flags);
      case '[':
        return this.#set(flags);
      case '.':
        return { type: 'character', admits: flags.dotAll ? () => true : (c) => c !== 10 };
      case '^':
        return assertion((text, at) => at === 0 || (flags.multiline && text.charCodeAt(at - 1) === 10));
      case '$':
        return assertion((text, at) => at === text.length || (flags.multiline && text.charCodeAt(at) === 10));
      case '\\':
        return this.#escape(flags);
      case '*':
      case '+':
      case '?':
        throw this.#error('nothing to repeat');
      default:
        return literal(character.codePointAt(0) ?? 0, flags);
    }
  }

  #group(flags: Flags): PatternNode {
    const opened = /^\?(?:([ims]*(?:-[ims]+)?):|P?<([A-Za-z_]\w*)>)/.exec(this.#pattern.slice(this.#at));
    if (opened === null && this.#peek() === '?') throw this.#error('lookaround and other (?...) groups do not exist');
    this.#at += opened?.[0].length ?? 0;
    const captures = opened?.[1] === undefined;
    const index = captures ? (this.#groups += 1) : 0;
    const name = opened?.[2];
    if (name !== undefined) this.#names.set(index, name);
    const node = this.#choice(opened?.[1] === undefined ? flags : readFlags(opened[1], flags));
    if (!this.#take(')')) throw this.#error('missing )');
    return captures ? { type: 'group', index, node } : node;
  }

  #escape(flags: Flags): PatternNode {
    const letter = this.#peek();
    if (letter === 'b' || letter === 'B') {
      this.#at += 1;
      return assertion((text, at) => atWordBoundary(text, at) === (letter === 'b'));
    }
    if (letter === 'A' || letter === 'z') {
      this.#at += 1;
      return assertion((text, at) => at === (letter === 'A' ? 0 : text.length));
    }
    const found = this.#classEscape();
    if (typeof found === 'number') return literal(found, flags);
    return { type: 'character', admits: flags.ignoreCase ? eitherCase(found) : found };
  }

  /** After a backslash: one character, or a class of them. */
  #classEscape(): number | Admits {
    const property = /^([pP])(?:\{(\^?)([\w=]+)\}|([A-Z]))/.exec(this.#pattern.slice(this.#at));
    if (property !== null) {
      this.#at += property[0].length;
      return unicodeClass(property[3] ?? property[4] ?? '', (property[1] === 'P') !== (property[2] === '^'));
    }
    const code = /^x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{2}))/.exec(this.#pattern.slice(this.#at));
    if (code !== null) {
      this.#at += code[0].length;
      return Number.parseInt(code[1] ?? code[2] ?? '0', 16);
    }
    if (this.#at >= this.#pattern.length) throw this.#error('a backslash at the end');
    const letter = this.#next();
    const known = Object.hasOwn(CLASS_ESCAPES, letter) ? CLASS_ESCAPES[letter] : undefined;
    if (known !== undefined) return known;
    if (/[1-9]/.test(letter)) throw this.#error('backreferences do not exist');
    if (Object.hasOwn(CONTROL, letter)) return CONTROL[letter] ?? 0;
    if (/[A-Za-z0]/.test(letter)) throw this.#error(`unknown escape \\${letter}`);
    return letter.codePointAt(0) ?? 0;
  }

  #set(flags: Flags): PatternNode {
    const negated = this.#take('^');
    const parts: Admits[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#at >= this.#pattern.length) throw this.#error('missing ]');
      parts.push(this.#setPart());
    }
    this.#at += 1;
    const any: Admits = (c) => parts.some((part) => part(c));
    const admits = flags.ignoreCase ? eitherCase(any) : any;
    return { type: 'character', admits: negated ? (c) => !admits(c) : admits };
  }

  #setPart(): Admits {
    const named = /^\[:(\^?)([a-z]+):\]/.exec(this.#pattern.slice(this.#at));
    if (named !== null) {
      const known = NAMED_CLASSES[named[2] ?? ''];
      if (known === undefined) throw this.#error(`unknown class [:${named[2]}:]`);
      this.#at += named[0].length;
      return named[1] === '^' ? (c) => !known(c) : known;
    }
    const low = this.#setCharacter();
    if (typeof low !== 'number') return low;
    if (this.#peek() !== '-' || this.#pattern[this.#at + 1] === ']' || this.#at + 1 >= this.#pattern.length) {
      return (c) => c === low;
    }
    this.#at += 1;
    const high = this.#setCharacter();
    if (typeof high !== 'number' || high < low) throw this.#error('a range that ends before it starts');
    return (c) => c >= low && c <= high;
  }

  #setCharacter(): number | Admits {
    return this.#take('\\') ? this.#classEscape() : (this.#next().codePointAt(0) ?? 0);
  }

  #peek(): string | undefined {
    return this.#pattern[this.#at];
  }

  #next(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #error(reason: string): Error {
    return patternError(this.#pattern, reason);
  }
}

function literal(character: number, flags: Flags): PatternNode {
  const exact: Admits = (c) => c === character;
  return { type: 'character', admits: flags.ignoreCase ? eitherCase(exact) : exact };
}

function assertion(holds: (text: string, at: number) => boolean): PatternNode {
  return { type: 'assertion', holds };
}
