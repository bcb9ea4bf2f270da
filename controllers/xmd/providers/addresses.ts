import type { Address, AddressRange } from '../values/address.ts';
import { isInRange, readAddress, readAddressRange } from '../values/address.ts';

/** IPv4 addresses that are not public: registered for special purposes, or a cloud's own. */
const SPECIAL_FOUR = ranges(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

/** The only IPv6 addresses that are public, and what is special among them: Teredo, documentation, 6to4. */
const PUBLIC_SIX = ranges('2000::/3');
const SPECIAL_SIX = ranges('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

/** Ranges whose addresses hold an IPv4 address, and how many bits lie behind it. */
const HOLDING_FOUR = [
  ...ranges('::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96').map((range) => ({ range, behind: 0n })),
  ...ranges('2002::/16').map((range) => ({ range, behind: 80n })),
] as const;

/**
 * Answers which addresses may be connected to: public ones, and those in the ranges that a profile names. An address that
 * stands for an IPv4 address is judged as both.
 *
 * Pure.
 *
 * @see kernel-specs/fetch.md FT-30 to FT-33
 */
export function addressGuard(named: readonly AddressRange[]): (address: string) => boolean {
  const admits = (address: Address): boolean => isPublic(address) || named.some((range) => isInRange(address, range));
  return (text) => {
    const address = readAddress(text);
    return address !== undefined && [address, ...heldFour(address)].every(admits);
  };
}

function isPublic(address: Address): boolean {
  const inside = (one: AddressRange): boolean => isInRange(address, one);
  return address.family === 4 ? !SPECIAL_FOUR.some(inside) : PUBLIC_SIX.some(inside) && !SPECIAL_SIX.some(inside);
}

function heldFour(address: Address): readonly Address[] {
  return HOLDING_FOUR.filter(({ range }) => isInRange(address, range)).map(({ behind }) => ({
    family: 4,
    value: (address.value >> behind) & 0xffff_ffffn,
  }));
}

function ranges(...texts: readonly string[]): readonly AddressRange[] {
  return texts.map((text) => {
    const range = readAddressRange(text);
    if (range === undefined) {
      throw new TypeError(`"${text}" is an address range`);
    }
    return range;
  });
}
