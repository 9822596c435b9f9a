import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../../src/storage/crc32c.js';

/** Naive twin: bit by bit. */
function bitwise(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0);
  }
  return ~crc >>> 0;
}

test('gives the published values', () => {
  expect(crc32c(Buffer.from('123456789'), 0, 9)).toBe(0xe306_9283);
  expect(crc32c(Buffer.alloc(32), 0, 32)).toBe(0x8a91_36aa);
  expect(crc32c(Buffer.alloc(32, 0xff), 0, 32)).toBe(0x62a8_ab43);
});

test('equals the bitwise checksum of any bytes, in one go or in two', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, at) => {
      const cut = Math.min(at, bytes.length);
      expect(crc32c(bytes, 0, bytes.length)).toBe(bitwise(bytes));
      expect(crc32c(bytes, cut, bytes.length, crc32c(bytes, 0, cut))).toBe(bitwise(bytes));
    }),
  );
});
