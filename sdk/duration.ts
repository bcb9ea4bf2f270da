import { RuntimeError } from './runtime-error.ts';

const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `1.5m`, or null for anything else. Pure. */
export function tryParseDurationMs(text: string): number | null {
  const match = DURATION.exec(text.trim());
  const [, amount, unit] = match ?? [];
  const unitMs = unit === undefined ? undefined : UNIT_MS[unit];
  return amount === undefined || unitMs === undefined ? null : Number(amount) * unitMs;
}

/** Milliseconds of a duration such as `90s`; `fallbackMs` when none is stated. Pure. @throws RuntimeError ERR_INVALID_VALUE */
export function parseDurationMs(text: string | undefined, fallbackMs = 0): number {
  if (text === undefined) return fallbackMs;
  const ms = tryParseDurationMs(text);
  if (ms !== null) return ms;
  throw new RuntimeError(
    'ERR_INVALID_VALUE',
    `Cannot read duration "${text}": it is not a number followed by one of ms, s, m, h, d`,
  );
}
