import { InvokeError, tryParseDurationMs } from '@telorun/sdk';

/** Milliseconds of a duration such as `90s`. Pure. @throws InvokeError ERR_INVALID_VALUE */
export function durationMs(value: unknown, where: string): number {
  const ms = typeof value === 'string' ? tryParseDurationMs(value) : null;
  if (ms !== null) return ms;
  const shown = typeof value === 'string' ? `"${value}"` : `of type ${typeof value}`;
  throw new InvokeError(
    'ERR_INVALID_VALUE',
    `Cannot read the duration ${shown} in ${where}: it is not a number followed by one of ms, s, m, h, d`,
    { hint: 'Write a number and a unit, such as 90s.' },
  );
}
