import type { Writable } from 'node:stream';
import type { KernelEvent, KernelListener } from '../events.ts';
import { instant, labelOf, tell } from './describe-entry.ts';
import type { Paint } from './paint.ts';
import { printable } from './printable.ts';

const BOOKKEEPING = /(^|\/)generated_xmd\/outcome(\[\d+\])?$/;

/** An effect that has begun and has no record yet. Its line is printed when something below it is. */
interface Active {
  readonly path: string;
  readonly target: string;
  printed: boolean;
}

/**
 * Prints what happens in runs, as it happens: steps as a tree, nested effects under their step, replayed ones marked.
 *
 * Effect: writes to `stream`. On a terminal the effect being performed is shown until something else happens.
 */
export function progressPrinter(stream: Writable & { readonly isTTY?: boolean }, colours: Paint): KernelListener {
  return new Progress(stream, colours).listener;
}

class Progress {
  readonly listener: KernelListener = (event) => this.#hear(event);
  readonly #stream: Writable & { readonly isTTY?: boolean };
  readonly #colours: Paint;
  readonly #active = new Map<string, Map<string, Active>>();
  #transient = false;

  constructor(stream: Writable & { readonly isTTY?: boolean }, colours: Paint) {
    this.#stream = stream;
    this.#colours = colours;
  }

  #hear(event: KernelEvent): void {
    const { green, dim, red, yellow, bold } = this.#colours;
    switch (event.type) {
      case 'run.started':
        this.#active.set(event.run, new Map());
        this.#line(
          0,
          `${bold(printable(event.run))}  ${dim(printable(event.workflow))}${event.resumed ? dim('  resumed') : ''}`,
        );
        return;
      case 'effect.begun':
        this.#begin(event.run, event.path, event.target ?? '');
        return;
      case 'entry.recorded':
        this.#told(event.run, event.entry, green('✓'));
        return;
      case 'entry.replayed':
        this.#told(event.run, event.entry, dim('↺'), '  replayed');
        return;
      case 'effect.failed':
        this.#settle(
          event.run,
          event.path,
          `${red('✗')} ${this.#label(event.run, event.path)}  ${red(printable(event.error.code))}`,
        );
        return;
      case 'wait.recorded':
        this.#nested(event.run, event.wait.path, `${yellow('⏸')} waits  ${dim(printable(event.wait.resource))}`);
        return;
      case 'retry.waiting':
        this.#nested(
          event.run,
          event.path,
          `${yellow('↻')} attempt ${event.attempt + 1} failed, next at ${instant(event.dueAt)}`,
        );
        return;
      case 'run.stopped':
        this.#clear();
        this.#active.delete(event.run);
        return;
      case 'zone.mode':
      case 'dispatch':
        return;
      default:
        event satisfies never;
    }
  }

  #begin(run: string, path: string, target: string): void {
    if (BOOKKEEPING.test(path)) return;
    const active = this.#activeOf(run);
    active.set(path, { path, target, printed: false });
    if (this.#stream.isTTY === true) {
      this.#clear();
      const depth = this.#ancestors(run, path).length + 1;
      this.#stream.write(`${'  '.repeat(depth)}${this.#colours.dim(`… ${this.#label(run, path)}`)}`);
      this.#transient = true;
    }
  }

  #told(run: string, entry: Parameters<typeof tell>[0], mark: string, suffix = ''): void {
    const ancestor = this.#ancestors(run, entry.path).at(-1)?.path ?? '';
    const told = tell(entry, ancestor);
    if (told === undefined) {
      this.#activeOf(run).delete(entry.path);
      return;
    }
    const detail = this.#colours.dim(`${told.detail}${suffix}`.trim());
    this.#settle(run, entry.path, `${mark} ${told.label}${detail === '' ? '' : `  ${detail}`}`);
  }

  /** Prints the closing line of an effect; one whose own line stands above its children is closed without another. */
  #settle(run: string, path: string, text: string): void {
    const own = this.#activeOf(run).get(path);
    this.#activeOf(run).delete(path);
    if (own?.printed === true && !text.includes('✗')) return;
    this.#nested(run, path, text);
  }

  #nested(run: string, path: string, text: string): void {
    const ancestors = this.#ancestors(run, path);
    ancestors.forEach((ancestor, index) => {
      if (ancestor.printed) return;
      ancestor.printed = true;
      const above = ancestors[index - 1]?.path ?? '';
      const target = ancestor.target === '' ? '' : `  ${this.#colours.dim(printable(ancestor.target))}`;
      this.#line(index + 1, `${this.#colours.cyan('▸')} ${labelOf(ancestor.path, above)}${target}`);
    });
    this.#line(ancestors.length + 1, text);
  }

  #label(run: string, path: string): string {
    return labelOf(path, this.#ancestors(run, path).at(-1)?.path ?? '');
  }

  #ancestors(run: string, path: string): Active[] {
    const found: Active[] = [];
    for (const active of this.#activeOf(run).values()) {
      if (path.length > active.path.length && path.startsWith(`${active.path}/`)) found.push(active);
    }
    return found.toSorted((one, other) => one.path.length - other.path.length);
  }

  #activeOf(run: string): Map<string, Active> {
    const known = this.#active.get(run) ?? new Map<string, Active>();
    this.#active.set(run, known);
    return known;
  }

  #line(depth: number, text: string): void {
    this.#clear();
    this.#stream.write(`${'  '.repeat(depth)}${text}\n`);
  }

  #clear(): void {
    if (!this.#transient) return;
    this.#stream.write('\r\u001b[2K');
    this.#transient = false;
  }
}
