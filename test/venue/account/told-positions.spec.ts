import { describe, expect, it } from 'vitest';
import { CLOSING_KEPT_MS } from '../../../src/model/limits.js';
import type { PositionState } from '../../../src/model/position.js';
import { HOME, instrumentAt, SimulatedExchange, type Wish } from '../simulated-exchange.js';

const MARKET = { type: 'MARKET', quantity: 100 } as const;
const SELLING = { ...MARKET, side: 'SELL' } as const;

/** What the home shard is told of positions while something is done, unasked. */
function told(venue: SimulatedExchange, act: () => void): PositionState[] {
  const from = venue.sent.length;
  act();
  return venue.sent.slice(from).flatMap(({ report, destination }) => {
    if (report.kind !== 'Positions') return [];
    expect([report.isSnapshot, destination]).toEqual([false, HOME]);
    return report.positions;
  });
}

function exchange(venue: 'BINANCE' | 'OKX', symbol: string): SimulatedExchange {
  return new SimulatedExchange({ instrument: instrumentAt(venue, symbol), isAlone: true });
}

describe('Positions that change', () => {
  it('are told to the home shard: opened, turned, closed; a closed one with the side it had', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    const trade = (wish: Wish) => told(venue, () => venue.submit(wish)).at(-1);
    expect(trade(MARKET)).toMatchObject({ net: 100, isShort: false, positionSide: 'BOTH' });
    expect(trade({ ...SELLING, quantity: 150 })).toMatchObject({ net: -50, isShort: true });
    expect(trade({ ...MARKET, quantity: 50 })).toMatchObject({ net: 0, isShort: true, cost: 0n });
    expect(trade({ ...MARKET, quantity: 50 })).toMatchObject({ net: 50, isShort: false });
    expect(trade({ ...SELLING, quantity: 50 })).toMatchObject({ net: 0, isShort: false });
  });

  it('are not told because time passes and the mark price moves', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    venue.submit(MARKET);
    expect(told(venue, () => venue.pass(10_000))).toEqual([]);
  });

  it('are told again after a restart, for their last change may not have been heard', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    const [before] = told(venue, () => venue.submit(MARKET)).slice(-1);
    const again = told(venue, () => venue.restart());
    expect(again).toMatchObject([{ net: before?.net, cost: before?.cost }]);
  });

  it('are told again when they were closed shortly before a restart, with the side they had', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    venue.submit(SELLING);
    venue.submit(MARKET);
    for (let starts = 0; starts < 2; starts += 1) {
      expect(told(venue, () => venue.restart())).toMatchObject([{ net: 0, isShort: true }]);
    }
    venue.pass(CLOSING_KEPT_MS);
    expect(told(venue, () => venue.restart())).toEqual([]);
    expect([...venue.store.range('closed/')]).toEqual([]);
  });

  it('are told as open after a restart when they have been opened anew', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    for (const wish of [SELLING, MARKET, MARKET]) venue.submit(wish);
    expect(told(venue, () => venue.restart())).toMatchObject([{ net: 100, isShort: false }]);
  });

  it('are nothing that a trade of SPOT makes', () => {
    const venue = exchange('BINANCE', 'BTC/USDT');
    expect(told(venue, () => venue.submit(MARKET))).toEqual([]);
  });
});
