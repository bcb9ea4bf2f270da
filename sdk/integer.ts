import { InvokeError } from './invoke-error.ts';

/**
 * Reads an integer that CEL may have made a BigInt.
 *
 * Pure.
 *
 * @throws InvokeError ERR_INVALID_VALUE unless `value` is an integer that a number holds exactly.
 */
export function integerInput(value: unknown, describe = 'value'): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new InvokeError('ERR_INVALID_VALUE', `Cannot read ${describe}: it is not an integer`, {
    hint: `Give ${describe} as a whole number.`,
  });
}

/** Where the first BigInt inside `value` stands (`.a[2]`, empty for the value itself), or undefined. Pure. */
export function bigIntAt(value: unknown): string | undefined {
  if (typeof value === 'bigint') return '';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = bigIntAt(child);
    if (found !== undefined) return `${Array.isArray(value) ? `[${key}]` : `.${key}`}${found}`;
  }
  return undefined;
}
