import type { RunError } from '@telorun/sdk/journal';
import { UnreadableRecord } from '../../journal-sqlite/errors.ts';
import type { ExactPart, OwnLine } from '../own-line.ts';
import { readError } from '../run-line.ts';
import { keptText } from '../text.ts';

/** The values that Telo's lines of an export hold inexactly, as the export says they are. */
export class ExactNotes {
  readonly #run: string;
  readonly #values = new Map<string, unknown>();

  constructor(run: string, notes: readonly OwnLine[]) {
    this.#run = run;
    for (const note of notes) {
      if (note.type === 'exact') this.#values.set(`${note.of} ${note.path}`, note.value);
    }
  }

  has(of: ExactPart, path: string): boolean {
    return this.#values.has(`${of} ${path}`);
  }

  /** The very value; `plain` where none is noted. Pure. Throws UnreadableRecord where the two do not belong together. */
  value(of: ExactPart, path: string, plain: unknown): unknown {
    if (!this.has(of, path)) return plain;
    const noted = this.#values.get(`${of} ${path}`);
    const text = keptText(noted, { run: this.#run, path }).plain;
    if (text !== undefined && JSON.stringify(JSON.parse(text)) === JSON.stringify(plain)) return noted;
    throw new UnreadableRecord('an exact value is not that of its line');
  }

  /** The same for an error, of which Telo's format keeps code and message. */
  error(plain: RunError): RunError {
    if (!this.has('error', '')) return plain;
    const noted = readError(this.#values.get('error '));
    if (noted.code === plain.code && noted.message === plain.message) return noted;
    throw new UnreadableRecord('an exact error is not that of its line');
  }
}
