import { bytesText, jsonText, printable, shortened } from './printable.ts';

const SHORT = 72;

/** What a recorded value is, in few words: small ones as they are, larger ones counted. Pure. */
export function summaryOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return textSummary(value);
  const known = evaluationSummary(value) ?? preflightSummary(value);
  if (known !== undefined) return known;
  const text = jsonText(value);
  if (text.length <= SHORT) return printable(text);
  if (Array.isArray(value)) return counted(value.length, 'item');
  return shortened(text, SHORT);
}

/** What an effect of a fragment came to; what a file holds is measured, never printed. Pure. */
export function effectSummary(element: string, value: unknown): string {
  if (element === 'File') return typeof value === 'string' ? `read, ${textSize(value)}` : 'written';
  if (element === 'File.Delete') return 'removed';
  return summaryOf(value);
}

/** `1 element`, `2 elements`. Pure. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}

/** A value of the run that does not fit on a line is measured. Pure. */
export function resultSummary(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = jsonText(value);
  return text.length <= SHORT ? printable(text) : `a result of ${bytesText(Buffer.byteLength(text))}`;
}

function evaluationSummary(value: unknown): string | undefined {
  const observations = member(value, 'observations');
  const output = member(value, 'output');
  if (!Array.isArray(observations) || typeof output !== 'string') return undefined;
  return `${counted(observations.length, 'observation')}, ${textSize(output)} output`;
}

function preflightSummary(value: unknown): string | undefined {
  const effects = member(value, 'effects');
  if (member(value, 'admitted') !== true || !Array.isArray(effects)) return undefined;
  return `would perform ${counted(effects.length, 'effect')}`;
}

function textSummary(text: string): string {
  const [first = ''] = text.split('\n', 1);
  if (first.length === text.length && text.length <= SHORT) return printable(JSON.stringify(text));
  return `${shortened(first, 48)} (${textSize(text)})`;
}

/** How large a text is, for a person. Pure. */
export function textSize(text: string): string {
  return bytesText(Buffer.byteLength(text));
}

/** An own member of something recorded; undefined where there is none. Pure. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
