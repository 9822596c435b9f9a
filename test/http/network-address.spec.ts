import { isIPv6 } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressText, isLoopback, networkAddress, subscriberOf } from '../../src/http/address-limit.js';

const bytes = (...values: number[]): ArrayBuffer => Uint8Array.from(values).buffer;
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const textOf = (raw: ArrayBuffer): string => addressText(networkAddress(raw));

const LOCAL = bytes(...zeros(15), 1);
const MAPPED_LOCAL = bytes(...zeros(10), 0xff, 0xff, 127, 0, 0, 1);
const GLOBAL = bytes(0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2, ...zeros(7), 0xab);

describe('the address of a peer', () => {
  it('is written with dots or in groups, and an IPv4 address mapped into IPv6 as IPv4', () => {
    expect(textOf(bytes(192, 0, 2, 7))).toBe('192.0.2.7');
    expect(textOf(MAPPED_LOCAL)).toBe('127.0.0.1');
    expect(textOf(GLOBAL)).toBe('2001:db8:1:2:0:0:0:ab');
    expect(textOf(LOCAL)).toBe('0:0:0:0:0:0:0:1');
  });

  it('is always a valid address for node:net', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (value) => {
        expect(isIPv6(addressText(Uint8Array.from(value)))).toBe(true);
      }),
    );
  });

  it('is recognized as loopback or not', () => {
    for (const own of [bytes(127, 0, 0, 1), bytes(127, 9, 9, 9), MAPPED_LOCAL, LOCAL]) {
      expect(isLoopback(networkAddress(own))).toBe(true);
    }
    for (const other of [
      bytes(128, 0, 0, 1),
      bytes(10, 0, 0, 127),
      GLOBAL,
      bytes(...zeros(16)),
      bytes(...zeros(14), 1, 1),
    ]) {
      expect(isLoopback(networkAddress(other))).toBe(false);
    }
  });

  it('belongs to one subscriber for each IPv6 /64', () => {
    const neighbour = bytes(0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8);
    const stranger = bytes(0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 3, ...zeros(8));
    expect(subscriberOf(networkAddress(neighbour))).toBe(subscriberOf(networkAddress(GLOBAL)));
    expect(subscriberOf(networkAddress(stranger))).not.toBe(subscriberOf(networkAddress(GLOBAL)));
    expect(subscriberOf(networkAddress(bytes(1, 2, 3, 4)))).toBe(0x01020304);
  });
});
