import type { ElementNode, Fragment, FragmentNode, Refusal, Verdict } from '../fragment/fragment.ts';
import { placeAt } from '../fragment/place.ts';
import { refuse } from '../fragment/refusal.ts';
import type { Limits } from '../vocabulary/limits.ts';
import type { Operation, PlannedInput } from '../vocabulary/operation.ts';
import { leadingLineEnd } from '../vocabulary/standard/file-write.ts';
import type { Table } from '../vocabulary/table.ts';
import { interpolationOffset } from './interpolation.ts';
import type { Plan, PlannedEffect, PlannedNode } from './plan.ts';

const DONE: Verdict<void> = { ok: true, value: undefined };
const FRESH = { next: 0, elements: 0, textStart: undefined, textEnd: 0 } as const;

/** The children of one element, or of the fragment, while they are walked. */
interface Level {
  readonly nodes: readonly FragmentNode[];
  readonly planned: PlannedNode[];
  /** Step path of the element, with its separator; '' at the root. */
  readonly prefix: string;
  readonly directory: string;
  readonly braces: Operation['braces'];
  /** Whether the content is a literal already, so that its text is looked at and not kept. */
  readonly literal: boolean;
  next: number;
  elements: number;
  /** Of the text that is being gathered. */
  textStart: number | undefined;
  textEnd: number;
}

/**
 * Checks every element of a fragment against a table and says what it will do.
 *
 * Pure, and performs nothing. Linear, never recursive. The first refusal in text order counts; in an element:
 * component, expression, binding, form or content, props, request.
 *
 * @see kernel-specs/fragment.md F-40 to F-58
 */
export function preflight(fragment: Fragment, table: Table, limits: Limits): Verdict<Plan> {
  const walk = new Walk(fragment, table, limits);
  const refusal = walk.run();
  if (refusal !== undefined) {
    return { ok: false, refusal };
  }
  const nodes: readonly PlannedNode[] = walk.nodes;
  const effects: readonly PlannedEffect[] = walk.effects;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mint of Plan
  return { ok: true, value: Object.freeze({ nodes, effects }) as Plan };
}

class Walk {
  readonly nodes: PlannedNode[] = [];
  readonly effects: PlannedEffect[] = [];
  readonly #fragment: Fragment;
  readonly #table: Table;
  readonly #limits: Limits;
  readonly #levels: Level[];

  constructor(fragment: Fragment, table: Table, limits: Limits) {
    this.#fragment = fragment;
    this.#table = table;
    this.#limits = limits;
    const { nodes } = fragment;
    const root: Level = {
      nodes,
      planned: this.nodes,
      prefix: '',
      directory: '',
      braces: 'prose',
      literal: false,
      ...FRESH,
    };
    this.#levels = [root];
  }

  run(): Refusal | undefined {
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      const node = level.nodes[level.next];
      level.next += 1;
      if (node === undefined) {
        this.#endText(level);
        this.#levels.pop();
        continue;
      }
      const verdict = node.kind === 'element' ? this.#planElement(node, level) : this.#planText(node, level);
      if (!verdict.ok) {
        return verdict.refusal;
      }
    }
    return undefined;
  }

  #planText(node: Exclude<FragmentNode, ElementNode>, level: Level): Verdict<void> {
    if (node.kind !== 'text' && node.executable) {
      return refuse('block', placeAt(this.#fragment.text, node.start));
    }
    if (level.literal) {
      return DONE;
    }
    if (node.kind === 'text' && level.braces === 'prose') {
      const offset = interpolationOffset(this.#fragment.text.slice(node.start, node.end));
      if (offset !== undefined) {
        return refuse('interpolation', placeAt(this.#fragment.text, node.start + offset));
      }
    }
    // Prose and code between two elements lie side by side, and are one text.
    level.textStart ??= node.start;
    level.textEnd = node.end;
    return DONE;
  }

  /** Ends the text before an element, or at the end of its level. */
  #endText(level: Level): void {
    if (level.textStart !== undefined) {
      level.planned.push({ kind: 'text', text: this.#fragment.text.slice(level.textStart, level.textEnd) });
      level.textStart = undefined;
    }
  }

  #planElement(element: ElementNode, level: Level): Verdict<void> {
    const admitted = admit(element, this.#table);
    if (!admitted.ok) {
      return admitted;
    }
    const operation = admitted.value;
    const { directory } = level;
    const { paths } = this.#table;
    const planned = operation.plan(element, { fragment: this.#fragment, limits: this.#limits, directory, paths });
    if (!planned.ok) {
      return planned;
    }
    this.#push(element, operation, { planned: planned.value, level });
    return DONE;
  }

  #push(
    element: ElementNode,
    operation: Operation,
    at: { readonly planned: PlannedInput; readonly level: Level },
  ): void {
    const { planned, level } = at;
    const segment = `${level.prefix}xmd[${level.elements}]/${element.name}`;
    const children: PlannedNode[] = [];
    const effect: PlannedEffect = {
      kind: 'effect',
      operation,
      input: planned.input,
      segment,
      place: element.place,
      children,
      ...(planned.literal === undefined ? {} : { literal: planned.literal }),
    };
    level.elements += 1;
    this.#endText(level);
    level.planned.push(effect);
    this.effects.push(effect);
    if (element.children.length > 0) {
      this.#levels.push({
        nodes: operation.braces === 'bytes' ? this.#withoutLineEnd(element) : element.children,
        planned: children,
        prefix: `${segment}/`,
        directory: planned.directory ?? level.directory,
        braces: operation.braces,
        literal: planned.literal !== undefined,
        ...FRESH,
      });
    }
  }

  /** The one line ending behind the opening tag of a paired File belongs to the tag. */
  #withoutLineEnd(element: ElementNode): readonly FragmentNode[] {
    const [first, ...rest] = element.children;
    const length = leadingLineEnd(this.#fragment.text, element.contentStart);
    if (first?.kind !== 'text' || length === 0) {
      return element.children;
    }
    const start = first.start + length;
    return start === first.end ? rest : [{ kind: 'text', start, end: first.end }, ...rest];
  }
}

/** The operation that an element stands for, before its own props are looked at. */
function admit(element: ElementNode, table: Table): Verdict<Operation> {
  if (!table.has(element.name)) {
    return refuse('component', element.place);
  }
  for (const prop of element.props.values()) {
    if (prop.kind === 'expression') {
      return refuse('expression', prop.place);
    }
  }
  if (element.props.has('as')) {
    return refuse('binding', element.place);
  }
  const operation = table.lookup(element.name, element.form);
  if (operation === undefined) {
    return refuse(element.form === 'paired' ? 'content' : 'form', element.place);
  }
  if (operation.content === 'text') {
    const nested = element.children.find((child) => child.kind === 'element');
    if (nested !== undefined) {
      return refuse('content', nested.place);
    }
  }
  return { ok: true, value: operation };
}
