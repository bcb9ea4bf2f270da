import type { Environment } from '@marcbachmann/cel-js';
import { define } from './define.ts';

/** Clock readings, which differ at each evaluation, and conversions of timestamps. */
export function registerTime(environment: Environment): void {
  define(environment, {
    'string(google.protobuf.Timestamp): string': (at: Date) => at.toISOString(),
    'int(google.protobuf.Timestamp): int': (at: Date) => BigInt(Math.floor(at.getTime() / 1000)),
    'string(google.protobuf.Duration): string': (duration: { toString(): string }) => duration.toString(),
    'nowIso(): string': () => new Date().toISOString(),
    'nowIso(string): string': (zone: string) => isoIn(new Date(), zone),
    'today(): string': () => new Date().toISOString().slice(0, 10),
    'today(string): string': (zone: string) => isoIn(new Date(), zone).slice(0, 10),
    'nowMillis(): int': () => BigInt(Date.now()),
    'nowSeconds(): int': () => BigInt(Math.floor(Date.now() / 1000)),
  });
}

/** Local date and time in an IANA zone, with its offset: `2026-03-01T09:00:00.000+01:00`. */
function isoIn(at: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'longOffset',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)?.value ?? '';
  const offset = part('timeZoneName').replace('GMT', '') || 'Z';
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  return `${date}T${part('hour')}:${part('minute')}:${part('second')}.${part('fractionalSecond')}${offset}`;
}
