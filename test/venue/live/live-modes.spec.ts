import { describe, expect, it } from 'vitest';
import { parseLiveModes, refusalOfModes } from '../../../src/venue/live/live-modes.js';

describe('SLUICE_LIVE', () => {
  it('names exchanges with their modes, in any letter case', () => {
    expect([...parseLiveModes('')]).toEqual([]);
    expect([...parseLiveModes('BINANCE:testnet, bybit:LIVE,KRAKEN:simulated')]).toEqual([
      ['BINANCE', 'testnet'],
      ['BYBIT', 'live'],
    ]);
  });

  it.each([
    ['BITMEX:live', 'BITMEX is none of BINANCE'],
    ['BINANCE', 'is not EXCHANGE:MODE; the modes are testnet and live'],
    ['BINANCE:paper', 'BINANCE:paper is not EXCHANGE:MODE; the modes are testnet and live'],
    ['BINANCE:shadow', 'the modes are testnet and live'],
    ['BINANCE:real', 'is not EXCHANGE:MODE'],
    ['BINANCE:live:now', 'is not EXCHANGE:MODE'],
    ['BINANCE:testnet,BINANCE:live', 'BINANCE has two modes'],
  ])('refuses %s', (text, message) => {
    expect(() => parseLiveModes(text)).toThrow(message);
  });
});

function refusal(text: string, confirmation?: string, simSpeed = 1): string | null {
  return refusalOfModes({ modes: parseLiveModes(text), confirmation, simSpeed });
}

describe('a start with real exchanges', () => {
  it('is allowed without one, with testnet, and with a confirmed live', () => {
    expect(refusal('', undefined, 60)).toBeNull();
    expect(refusal('OKX:testnet,BINANCE:testnet')).toBeNull();
    expect(refusal('BINANCE:live', 'real-money')).toBeNull();
  });

  it.each([
    ['BINANCE:live', undefined, 1, 'confirm it with SLUICE_LIVE_CONFIRM=real-money'],
    ['BINANCE:live', 'yes', 1, 'SLUICE_LIVE_CONFIRM=yes is not real-money'],
    ['BINANCE:testnet', undefined, 60, 'SLUICE_SIM_SPEED=60 is not 1'],
    ['KRAKEN:testnet', undefined, 1, 'orders of KRAKEN are not proved yet'],
  ])('is refused for %s with confirmation %s and speed %d', (text, confirmation, speed, message) => {
    expect(refusal(text, confirmation, speed)).toContain(message);
  });
});
