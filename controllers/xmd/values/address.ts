/** An IP address as the number it is. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** All addresses of one family whose first bits are the same. */
export interface AddressRange extends Address {
  /** Number of leading bits that count. */
  readonly prefix: number;
  /** As `readAddressRange` reads it again. */
  readonly text: string;
}

const BITS = { 4: 32, 6: 128 } as const;
const DECIMAL = /^(?:0|[1-9][0-9]{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

/**
 * Reads an address: four decimal numbers, or IPv6 text with or without a zone, which does not count.
 *
 * Pure. Undefined for any other spelling, octal, hexadecimal and short IPv4 ones included.
 */
export function readAddress(text: string): Address | undefined {
  const four = readFour(text);
  if (four !== undefined) {
    return { family: 4, value: four };
  }
  const six = readSix(text.replace(/%.*$/s, ''));
  return six === undefined ? undefined : { family: 6, value: six };
}

/** Reads `address/prefix` whose other bits are zero; undefined for anything else. Pure. */
export function readAddressRange(text: string): AddressRange | undefined {
  const [start = '', digits = '', ...rest] = text.split('/');
  const address = start.includes('%') ? undefined : readAddress(start);
  if (address === undefined || rest.length > 0 || !DECIMAL.test(digits) || Number(digits) > BITS[address.family]) {
    return undefined;
  }
  const prefix = Number(digits);
  const range = { ...address, prefix, text: `${addressText(address)}/${prefix}` };
  return (address.value & ((1n << hostBits(range)) - 1n)) === 0n ? Object.freeze(range) : undefined;
}

/** Whether an address lies in a range. Pure. */
export function isInRange(address: Address, range: AddressRange): boolean {
  return address.family === range.family && address.value >> hostBits(range) === range.value >> hostBits(range);
}

function hostBits({ family, prefix }: AddressRange): bigint {
  return BigInt(BITS[family] - prefix);
}

/** One spelling for each address: IPv6 in eight groups without leading zeros. */
function addressText({ family, value }: Address): string {
  const width = family === 4 ? 8n : 16n;
  const count = family === 4 ? 4 : 8;
  const parts = Array.from({ length: count }, (_, index) => {
    const part = (value >> (width * BigInt(count - 1 - index))) & ((1n << width) - 1n);
    return part.toString(family === 4 ? 10 : 16);
  });
  return parts.join(family === 4 ? '.' : ':');
}

function readFour(text: string): bigint | undefined {
  const parts = text.split('.');
  const known = parts.length === 4 && parts.every((part) => DECIMAL.test(part) && Number(part) <= 255);
  return known ? join(parts.map(BigInt), 8n) : undefined;
}

function readSix(text: string): bigint | undefined {
  const [head, tail, ...more] = text.split('::');
  if (head === undefined || more.length > 0) {
    return undefined;
  }
  const before = readGroups(head, tail === undefined);
  const after = tail === undefined ? [] : readGroups(tail, true);
  if (before === undefined || after === undefined) {
    return undefined;
  }
  const missing = 8 - before.length - after.length;
  const whole = tail === undefined ? missing === 0 : missing > 0;
  return whole ? join([...before, ...Array.from({ length: missing }, () => 0n), ...after], 16n) : undefined;
}

/** The 16-bit groups of a part of an IPv6 address; the last two may be written as an IPv4 address. */
function readGroups(text: string, last: boolean): readonly bigint[] | undefined {
  if (text === '') {
    return [];
  }
  const parts = text.split(':');
  const mixed = last && parts.at(-1)?.includes('.') === true;
  const four = mixed ? readFour(parts.pop() ?? '') : 0n;
  if (four === undefined || !parts.every((part) => GROUP.test(part))) {
    return undefined;
  }
  const groups = parts.map((part) => BigInt(`0x${part}`));
  return mixed ? [...groups, four >> 16n, four & 0xffffn] : groups;
}

function join(parts: readonly bigint[], width: bigint): bigint {
  return parts.reduce((whole, part) => (whole << width) | part, 0n);
}
