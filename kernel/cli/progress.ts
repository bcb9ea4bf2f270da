import type { Writable } from 'node:stream';
import type { JournalEntry, WaitRecord } from '@telorun/sdk/journal';
import type { KernelEvent, KernelListener } from '../events.ts';
import { branchOf, stepLabel, tell } from './describe-entry.ts';
import { elementOf, enclosingElements, isOutcome, keeperOf, pathsAbove } from './entry-path.ts';
import type { Paint } from './paint.ts';
import { printable } from './printable.ts';
import { awaited } from './reason.ts';
import { counted, member } from './summary.ts';

type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** A step that has begun, or a branch that was taken. Its line is printed when something below it is. */
interface Active {
  readonly target: string;
  readonly inputs: unknown;
  printed: boolean;
}

/**
 * Prints what happens in runs, as it happens: steps as a tree, nested effects under their step, replayed ones marked.
 *
 * Effect: writes to `stream`. On a terminal the effect being performed is shown until something else happens.
 */
export function progressPrinter(stream: Terminal, colours: Paint): KernelListener {
  return new Progress(stream, colours).listener;
}

class Progress {
  readonly listener: KernelListener = (event) => this.#hear(event);
  readonly #stream: Terminal;
  readonly #colours: Paint;
  readonly #runs = new Map<string, Map<string, Active>>();
  /** The effect on the line that is written over, and who performs it. */
  #transient: { readonly text: string; readonly target: string } | undefined;

  constructor(stream: Terminal, colours: Paint) {
    this.#stream = stream;
    this.#colours = colours;
  }

  #hear(event: KernelEvent): void {
    const { green, dim, bold } = this.#colours;
    switch (event.type) {
      case 'run.started': {
        this.#runs.set(event.run, new Map());
        const resumed = event.resumed ? dim('  resumed') : '';
        this.#line(0, `${bold(printable(event.run))}  ${dim(printable(event.workflow))}${resumed}`);
        return;
      }
      case 'effect.begun':
        this.#begin(event);
        return;
      case 'entry.recorded':
        this.#tell(event.run, event.entry, {
          mark: green('✓'),
          inputs: this.#active(event.run).get(event.entry.path)?.inputs,
        });
        return;
      case 'entry.replayed':
        this.#tell(event.run, event.entry, { mark: dim('↺'), inputs: event.inputs, suffix: 'replayed' });
        return;
      case 'effect.failed':
        this.#fail(event.run, event.path, event.error.code);
        return;
      case 'wait.recorded':
        this.#wait(event.run, event.wait);
        return;
      case 'run.stopped':
        this.#clear();
        this.#runs.delete(event.run);
        return;
      case 'resource.progress':
        this.#advance(event.resource, event.payload);
        return;
      case 'zone.mode':
      case 'dispatch':
        return;
      default:
        event satisfies never;
    }
  }

  #wait(run: string, wait: WaitRecord): void {
    const { yellow, dim } = this.#colours;
    const { path, resource } = wait;
    const inputs = this.#active(run).get(path)?.inputs;
    const label = stepLabel(path, { ancestor: this.#ancestors(run, path).at(-1) ?? '', inputs });
    this.#nested(run, path, `${yellow('⏸')} ${label}  ${dim(`waits ${awaited(wait)}  ${printable(resource)}`)}`);
  }

  #begin(event: Extract<KernelEvent, { type: 'effect.begun' }>): void {
    const { run, path, inputs, target = '' } = event;
    if (isOutcome(path)) return;
    this.#active(run).set(path, { target, inputs, printed: false });
    if (this.#stream.isTTY !== true) return;
    this.#clear();
    const label = stepLabel(path, { ancestor: this.#ancestors(run, path).at(-1) ?? '', inputs });
    this.#show({ text: `${'  '.repeat(this.#depth(run, path))}… ${label}`, target });
  }

  /** How much of its answer a model has told; what it says is not shown before it is judged. */
  #advance(resource: string, payload: unknown): void {
    const characters = member(payload, 'characters');
    const shown = this.#transient;
    if (shown === undefined || shown.target !== resource || typeof characters !== 'number') return;
    this.#clear();
    this.#show(shown, `  ${counted(characters, 'character')}`);
  }

  #show(shown: { readonly text: string; readonly target: string }, suffix = ''): void {
    // A terminal that does not know its size says 0.
    const { columns = 0 } = this.#stream;
    const width = Math.max(1, (columns === 0 ? 80 : columns) - 1);
    this.#stream.write(this.#colours.dim(`${shown.text}${suffix}`.slice(0, width)));
    this.#transient = shown;
  }

  #tell(run: string, entry: JournalEntry, options: { mark: string; inputs: unknown; suffix?: string }): void {
    const { dim, red } = this.#colours;
    const active = this.#active(run);
    if (keeperOf(entry) !== undefined) this.#branch(run, entry);
    const ancestor = this.#ancestors(run, entry.path).at(-1) ?? '';
    const told = tell(entry, { ancestor, inputs: options.inputs });
    const own = entry.kind === 'step' ? active.get(entry.path) : undefined;
    if (own !== undefined) active.delete(entry.path);
    // An effect that failed was told when it did; its evaluation's outcome says the same.
    if (told === undefined || (isOutcome(entry.path) && options.suffix === undefined)) return;
    // The line of a step stands above its children already; they were told one by one.
    if (own?.printed === true && elementOf(entry.path) === undefined) return;
    const detail = [told.detail, options.suffix ?? ''].filter((part) => part !== '').join('  ');
    const recorded = entry.kind === 'step' ? options.mark : dim(options.suffix === undefined ? '·' : '↺');
    const mark = told.failed === true ? red('✗') : recorded;
    this.#nested(run, entry.path, `${mark} ${told.label}${detail === '' ? '' : `  ${dim(detail)}`}`);
  }

  /** The way that control flow takes stands above what it leads to. */
  #branch(run: string, entry: JournalEntry): void {
    const branch = branchOf(entry);
    const keeper = keeperOf(entry);
    if (branch === undefined || keeper === undefined || this.#active(run).has(keeper)) return;
    const { dim, cyan } = this.#colours;
    const label = stepLabel(keeper, { ancestor: this.#ancestors(run, keeper).at(-1) ?? '' });
    const skipped = branch === 'skipped';
    this.#nested(run, keeper, `${skipped ? dim('–') : cyan('▸')} ${label}  ${dim(branch)}`);
    if (!skipped) this.#active(run).set(keeper, { target: '', inputs: undefined, printed: true });
  }

  #fail(run: string, path: string, code: string): void {
    const inputs = this.#active(run).get(path)?.inputs;
    this.#active(run).delete(path);
    if (isOutcome(path)) return;
    const label = stepLabel(path, { ancestor: this.#ancestors(run, path).at(-1) ?? '', inputs });
    this.#nested(run, path, `${this.#colours.red('✗')} ${label}  ${this.#colours.red(printable(code))}`);
  }

  #nested(run: string, path: string, text: string): void {
    const ancestors = this.#ancestors(run, path);
    for (const [index, above] of ancestors.entries()) {
      const active = this.#active(run).get(above);
      if (active === undefined || active.printed) continue;
      active.printed = true;
      const label = stepLabel(above, { ancestor: ancestors[index - 1] ?? '', inputs: active.inputs });
      const target =
        active.target === '' || elementOf(above) !== undefined
          ? ''
          : `  ${this.#colours.dim(printable(active.target))}`;
      this.#line(this.#depth(run, above), `${this.#colours.cyan('▸')} ${label}${target}`);
    }
    this.#line(this.#depth(run, path), text);
  }

  /** Begun steps above `path`, the outermost first. */
  #ancestors(run: string, path: string): readonly string[] {
    const active = this.#active(run);
    return [...pathsAbove(path)].filter((above) => active.has(above)).toReversed();
  }

  /** Elements nest by their paths, recorded or not; everything else below what has begun. */
  #depth(run: string, path: string): number {
    const active = this.#active(run);
    const elements = [...enclosingElements(path)].filter((outer) => elementOf(outer) !== undefined);
    return (
      this.#ancestors(run, path).filter((above) => active.has(above) && !elements.includes(above)).length +
      elements.length +
      1
    );
  }

  #active(run: string): Map<string, Active> {
    const known = this.#runs.get(run) ?? new Map<string, Active>();
    this.#runs.set(run, known);
    return known;
  }

  #line(depth: number, text: string): void {
    this.#clear();
    this.#stream.write(`${'  '.repeat(depth)}${text}\n`);
  }

  #clear(): void {
    if (this.#transient === undefined) return;
    this.#stream.write('\r\u001b[2K');
    this.#transient = undefined;
  }
}
