import { encodeJsonValue, InvokeError, isInvokeError } from '@telorun/sdk';
import type { RunError } from '@telorun/sdk/journal';

/** Shorter values occur in ordinary text. */
const SECRET_CHARACTERS_MIN = 8;
const REDACTED = '***';

/** Where something is about to be recorded. */
export interface RecordPlace {
  readonly run: string;
  readonly path: string;
}

/** Keeps the values of an application's `secrets` out of records. @see kernel-specs/secrets.md SC-30 */
export class Redaction {
  readonly #values: readonly string[];
  /** As they stand in JSON. */
  readonly #spelled: readonly string[];

  /** `secrets` are the values as bound; those that are no text count as their text. */
  constructor(secrets: readonly unknown[]) {
    const texts = secrets.map((secret) => (typeof secret === 'string' ? secret : spell(secret)));
    const long = new Set(texts.filter((text) => text.length >= SECRET_CHARACTERS_MIN));
    // The longest first, so that one that holds another is replaced whole.
    this.#values = [...long].toSorted((a, b) => b.length - a.length);
    this.#spelled = this.#values.map((value) => JSON.stringify(value).slice(1, -1));
  }

  /** Whether there is nothing to look for. */
  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  /** Whether a value, names of members included, holds a secret as it is. Pure. Encodings of it are not recognised. */
  holds(value: unknown): boolean {
    if (this.isEmpty || value === undefined) return false;
    const text = spell(value);
    return this.#spelled.some((secret) => text.includes(secret));
  }

  /** Pure. @throws InvokeError ERR_DURABLE_SECRET_VALUE */
  assertNone(value: unknown, place: RecordPlace): void {
    if (this.holds(value)) throw secretValue(place);
  }

  /** The text with every secret in it replaced. Pure. */
  text(text: string): string {
    return this.#values.reduce((redacted, secret) => redacted.replaceAll(secret, REDACTED), text);
  }

  /** The error with every secret in it replaced; data that holds one is left out. Pure. */
  error(error: RunError): RunError {
    if (this.isEmpty) return error;
    const { code, message, data } = error;
    const told = { code: this.text(code), message: this.text(message) };
    return data === undefined || this.holds(data) ? told : { ...told, data };
  }
}

/** The refusal to record a value that holds a secret of the application; `performed` when an effect came to it. */
export function secretValue({ run, path }: RecordPlace, performed = false): InvokeError {
  const done = performed ? '; the effect behind it has been performed, and nothing says so' : '';
  return new InvokeError(
    'ERR_DURABLE_SECRET_VALUE',
    `Cannot record "${path}" of run "${run}": it holds the value of a secret${done}`,
    { run, path, hint: 'Keep the secret out of inputs, and out of what a step returns or decides.' },
  );
}

/** A value as the text that a journal would keep; empty for what no journal keeps, which it refuses itself. */
function spell(value: unknown): string {
  try {
    return JSON.stringify(encodeJsonValue(value)) ?? '';
  } catch (error) {
    if (isInvokeError(error) || error instanceof TypeError || error instanceof RangeError) return '';
    throw error;
  }
}
