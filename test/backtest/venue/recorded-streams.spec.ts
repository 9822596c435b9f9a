import { describe, expect, it } from 'vitest';
import { RecordingPlayer, RecordingStream } from '../../../src/backtest/venue/recorded-streams.js';
import { DEPTH, TRADE } from '../../../src/backtest/venue/recording-format.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { ANY_PRICE, MadeMarket, START_MS } from './made-market.js';

const GRID = { pricePrecision: 0, quantityPrecision: 0, quantityStep: 1, priceStep: 1 };

function played(streams: readonly RecordingStream[], untilMs = Infinity): string[] {
  const messages: string[] = [];
  new RecordingPlayer(streams, (name, rows, count) => {
    const price = name === 'trades' ? ` ${rows.at(0, TRADE.price)}` : '';
    messages.push(`${name}${name === 'depth' ? ` ${rows.at(0, DEPTH.lastId)}` : price} x${count}`);
  }).play(untilMs as EpochMs);
  return messages;
}

describe('a recording', () => {
  const market = new MadeMarket(GRID)
    .snapshot(2, 10, { bids: [[99, 1]], asks: [[101, 1]] })
    .update(1, { first: 9, last: 11 }, { bids: [[98, 1]], asks: [[102, 1]] })
    .update(3, { first: 12, last: 12 }, { bids: [[97, 1]] })
    .trade(1.000001, 'BUY', [5, 1])
    .trade(3, 'SELL', [6, 1])
    .quote(0.999999, 9, [99, 1], [101, 1]);
  const merged = ['bookticker x1', 'depth 11 x2', 'trades 5 x1', 'snapshot x2', 'depth 12 x1', 'trades 6 x1'];

  it('merges its streams to the nanosecond, and equal instants in the order of the streams', () => {
    expect(played(market.streams())).toEqual(merged);
  });

  it('plays the same for every split of its bytes', () => {
    for (const pieceBytes of [1, 7, 64]) expect(played(market.streams(pieceBytes))).toEqual(merged);
  });

  it('plays up to an instant and returns the time of the next message', () => {
    const streams = market.streams();
    expect(played(streams, START_MS + 1)).toEqual(merged.slice(0, 3));
    expect(new RecordingPlayer(streams, () => undefined).nextMs()).toBe(START_MS + 2);
  });

  it('refuses to play beyond the fed data', () => {
    const stream = new RecordingStream('trades', 'made.trades.csv', { ...GRID, filters: ANY_PRICE });
    const player = new RecordingPlayer([stream], () => undefined);
    expect(player.covers(0 as EpochMs)).toBe(false);
    expect(() => player.play(0 as EpochMs)).toThrow('a recording is fed before it is played');
    stream.feed(new TextEncoder().encode(market.text('trades')));
    expect(player.covers((START_MS + 2) as EpochMs)).toBe(true);
    expect(player.covers((START_MS + 3) as EpochMs)).toBe(false);
    stream.feed(null);
    expect(player.covers(Infinity as EpochMs)).toBe(true);
  });
});
