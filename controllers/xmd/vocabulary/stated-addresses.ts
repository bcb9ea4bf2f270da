import { profileRefused } from '../errors.ts';
import type { AddressRange } from '../values/address.ts';
import { readAddressRange } from '../values/address.ts';

/**
 * Reads the addresses that a profile names although they are not public, each range once, in one order and spelling.
 *
 * Pure.
 *
 * @throws InvokeError ERR_XMD_PROFILE
 * @see kernel-specs/fetch.md FT-33
 */
export function readStatedAddresses(value: unknown): readonly AddressRange[] {
  if (value === undefined) {
    return [];
  }
  if (!Array.isArray(value)) {
    throw addressesRefused();
  }
  const ranges = value.map((stated: unknown): [string, AddressRange] => {
    const range = typeof stated === 'string' ? readAddressRange(stated) : undefined;
    if (range === undefined) {
      throw addressesRefused();
    }
    return [range.text, range];
  });
  return Object.freeze(
    [...new Map(ranges)].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, range]) => range),
  );
}

function addressesRefused(): Error {
  return profileRefused(
    'addresses',
    'its addresses are not a list of address ranges',
    'State ranges such as 127.0.0.1/32 or fd00::/8, all bits behind the prefix zero.',
  );
}
