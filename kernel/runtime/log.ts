import type { Logger } from '@telorun/sdk';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

const SEVERITY: Readonly<Record<LogLevel, number>> = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, silent: 100 };

export interface LogOptions {
  readonly level: LogLevel;
  readonly stream: NodeJS.WritableStream;
  readonly now: () => number;
  readonly resource?: string;
  readonly module?: string;
}

/** A logger that writes one JSON line for each message at `level` and above. Effect: on the stream. Never throws. */
export function createLogger(options: LogOptions): Logger {
  const write = (level: LogLevel, msg: string, attributes?: Record<string, unknown>, error?: unknown): void => {
    if (SEVERITY[level] < SEVERITY[options.level]) return;
    const line = {
      time: new Date(options.now()).toISOString(),
      level,
      severity: SEVERITY[level],
      msg,
      resource: options.resource,
      module: options.module,
      attributes: attributes !== undefined && Object.keys(attributes).length > 0 ? attributes : undefined,
      err: error === undefined ? undefined : describe(error),
    };
    options.stream.write(`${stringify(line)}\n`);
  };
  return {
    trace: (message, attributes) => write('trace', message, attributes),
    debug: (message, attributes) => write('debug', message, attributes),
    info: (message, attributes) => write('info', message, attributes),
    warn: (message, attributes) => write('warn', message, attributes),
    error: (message, attributes, extra) => write('error', message, attributes, extra?.error),
  };
}

function stringify(line: Readonly<Record<string, unknown>>): string {
  const seen = new WeakSet();
  return JSON.stringify(line, (_key, value: unknown) => {
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return '[seen]';
    seen.add(value);
    return value;
  });
}

function describe(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) };
  return { code: 'code' in error ? error.code : undefined, message: error.message };
}
