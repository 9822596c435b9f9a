import { describe, expect, it } from 'vitest';
import { CLOSING_KEPT_MS } from '../../../src/domain/limits/trading.js';
import type { PositionState } from '../../../src/domain/position.js';
import { HOME, instrumentAt, SimulatedExchange, type OrderFields } from '../simulated-exchange.js';

const MARKET = { type: 'MARKET', quantity: 100 } as const;
const SELLING = { ...MARKET, side: 'SELL' } as const;

/** Unsolicited position reports to the home shard during an action. */
function reported(venue: SimulatedExchange, act: () => void): PositionState[] {
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

describe('position reports', () => {
  it('follow each open, reversal and close; a closed position keeps its last side', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    const trade = (fields: OrderFields) => reported(venue, () => venue.submit(fields)).at(-1);
    expect(trade(MARKET)).toMatchObject({ net: 100, isShort: false, positionSide: 'BOTH' });
    expect(trade({ ...SELLING, quantity: 150 })).toMatchObject({ net: -50, isShort: true });
    expect(trade({ ...MARKET, quantity: 50 })).toMatchObject({ net: 0, isShort: true, cost: 0n });
    expect(trade({ ...MARKET, quantity: 50 })).toMatchObject({ net: 50, isShort: false });
    expect(trade({ ...SELLING, quantity: 50 })).toMatchObject({ net: 0, isShort: false });
  });

  it('do not follow mere changes of time and mark price', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    venue.submit(MARKET);
    expect(reported(venue, () => venue.pass(10_000))).toEqual([]);
  });

  it('are repeated after a restart, because the last one may be lost', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    const [before] = reported(venue, () => venue.submit(MARKET)).slice(-1);
    const again = reported(venue, () => venue.restart());
    expect(again).toMatchObject([{ net: before?.net, cost: before?.cost }]);
  });

  it('are repeated for a position closed shortly before a restart, with its last side', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    venue.submit(SELLING);
    venue.submit(MARKET);
    for (let starts = 0; starts < 2; starts += 1) {
      expect(reported(venue, () => venue.restart())).toMatchObject([{ net: 0, isShort: true }]);
    }
    venue.pass(CLOSING_KEPT_MS);
    expect(reported(venue, () => venue.restart())).toEqual([]);
    expect([...venue.store.range('closed/')]).toEqual([]);
  });

  it('describe a reopened position as open after a restart', () => {
    const venue = exchange('OKX', 'ETH/USDT:USDT');
    for (const fields of [SELLING, MARKET, MARKET]) venue.submit(fields);
    expect(reported(venue, () => venue.restart())).toMatchObject([{ net: 100, isShort: false }]);
  });

  it('do not follow spot trades', () => {
    const venue = exchange('BINANCE', 'BTC/USDT');
    expect(reported(venue, () => venue.submit(MARKET))).toEqual([]);
  });
});
