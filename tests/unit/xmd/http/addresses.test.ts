import { describe, expect, it } from 'vitest';
import { addressGuard } from '../../../../controllers/xmd/providers/addresses.ts';
import { readAddress, readAddressRange } from '../../../../controllers/xmd/values/address.ts';
import { readStatedAddresses } from '../../../../controllers/xmd/vocabulary/stated-addresses.ts';

describe('reading addresses', () => {
  it.each([
    ['1.2.3.4', 4, 0x01020304n],
    ['255.255.255.255', 4, 0xffffffffn],
    ['::', 6, 0n],
    ['::1', 6, 1n],
    ['1::', 6, 1n << 112n],
    ['1:2:3:4:5:6:7:8', 6, 0x0001_0002_0003_0004_0005_0006_0007_0008n],
    ['::ffff:1.2.3.4', 6, 0xffff_0102_0304n],
    ['fe80::1%eth0', 6, (0xfe80n << 112n) | 1n],
    ['1:2:3:4:5:6:7::', 6, 0x0001_0002_0003_0004_0005_0006_0007_0000n],
  ] as const)('FT-33 %s', (text, family, value) => {
    expect(readAddress(text)).toEqual({ family, value });
  });

  it.each(['', '1.2.3', '01.2.3.4', '1.2.3.256', '0x1.2.3.4', '1.2.3.4.5', ' 1.2.3.4', ':', ':::', '1:2', '1::2::3'])(
    'FT-33 %j is none',
    (text) => {
      expect(readAddress(text)).toBeUndefined();
    },
  );
  it.each([
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '1::1.2.3.4:',
  ])('FT-33 %j is none', (text) => {
    expect(readAddress(text)).toBeUndefined();
  });

  it('FT-33 ranges have one spelling, and nothing behind their prefix', () => {
    expect(readAddressRange('127.0.0.0/8')?.text).toBe('127.0.0.0/8');
    expect(readAddressRange('FD00:0::/8')?.text).toBe('fd00:0:0:0:0:0:0:0/8');
    const none = [
      '127.0.0.1',
      '127.0.0.1/8',
      '127.0.0.1/33',
      '127.0.0.1/-1',
      '::1/129',
      '10.0.0.0/08',
      '1.2.3.4/',
      '/8',
      '::%1/8',
      '1.2.3.4/8/8',
    ];
    expect(none.filter((text) => readAddressRange(text) !== undefined)).toEqual([]);
  });
});

const admits = (address: string, named: readonly string[] = []) => addressGuard(readStatedAddresses(named))(address);

describe('what a profile names', () => {
  it.each([
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '169.253.255.255',
    '223.255.255.255',
    '192.0.1.1',
    '198.17.255.255',
    '2606:4700::1111',
    '2001:4860::1',
    '2400::1',
  ])('FT-30 %s is public', (address) => {
    expect(admits(address)).toBe(true);
  });

  it('FT-30 a named range admits its addresses and no neighbour', () => {
    expect(admits('10.1.2.3', ['10.1.2.0/24'])).toBe(true);
    expect(admits('10.1.3.0', ['10.1.2.0/24'])).toBe(false);
    expect(admits('fd00::1', ['fd00::/16'])).toBe(true);
    expect(admits('fd01::1', ['fd00::/16'])).toBe(false);
    expect(admits('127.0.0.1', ['0.0.0.0/0'])).toBe(true);
    expect(admits('::1', ['0.0.0.0/0'])).toBe(false);
  });

  it.each([
    ['mapped', '::ffff:10.0.0.1', '::ffff:0:0/96'],
    ['translated', '64:ff9b::10.0.0.1', '64:ff9b::/96'],
    ['6to4', '2002:0a00:1::', '2002::/16'],
  ])(
    'FT-32 a %s address counts as both: its own range and that of the address it stands for',
    (_name, address, range) => {
      expect(admits(address)).toBe(false);
      expect(admits(address, [range])).toBe(false);
      expect(admits(address, ['10.0.0.0/8'])).toBe(false);
      expect(admits(address, [range, '10.0.0.0/8'])).toBe(true);
    },
  );

  it('FT-32 a translated public address needs its range alone', () => {
    expect(admits('64:ff9b::1.1.1.1')).toBe(false);
    expect(admits('64:ff9b::1.1.1.1', ['64:ff9b::/96'])).toBe(true);
  });

  it('FT-33 ranges are read once each, in one order', () => {
    const texts = readStatedAddresses(['fd00::/8', '10.0.0.0/8', 'FD00::/8']).map(({ text }) => text);
    expect(texts).toEqual(['10.0.0.0/8', 'fd00:0:0:0:0:0:0:0/8']);
    for (const value of [null, {}, '10.0.0.0/8', ['10.0.0.1/8'], [1], ['localhost']]) {
      expect(() => readStatedAddresses(value)).toThrow(expect.objectContaining({ code: 'ERR_XMD_PROFILE' }));
    }
  });
});
