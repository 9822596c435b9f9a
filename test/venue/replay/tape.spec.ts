import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../src/model/time.js';
import { DEPTH, TRADE } from '../../../src/venue/replay/recorded-columns.js';
import { Tape, TapeStream } from '../../../src/venue/replay/tape.js';
import { MadeMarket, START_MS } from './made-market.js';

const GRID = { pricePrecision: 0, quantityPrecision: 0 };

function played(streams: readonly TapeStream[], untilMs = Infinity): string[] {
  const messages: string[] = [];
  new Tape(streams, (name, rows, count) => {
    const price = name === 'trades' ? ` ${rows.at(0, TRADE.price)}` : '';
    messages.push(`${name}${name === 'depth' ? ` ${rows.at(0, DEPTH.lastId)}` : price} x${count}`);
  }).play(untilMs as EpochMs);
  return messages;
}

describe('a tape', () => {
  const market = new MadeMarket(GRID)
    .snapshot(2, 10, { bids: [[99, 1]], asks: [[101, 1]] })
    .update(1, { first: 9, last: 11 }, { bids: [[98, 1]], asks: [[102, 1]] })
    .update(3, { first: 12, last: 12 }, { bids: [[97, 1]] })
    .trade(1.000001, 'BUY', [5, 1])
    .trade(3, 'SELL', [6, 1])
    .quote(0.999999, 9, [99, 1], [101, 1]);
  const merged = ['bookticker x1', 'depth 11 x2', 'trades 5 x1', 'snapshot x2', 'depth 12 x1', 'trades 6 x1'];

  it('merges its streams to the nanosecond, equal instants in the order of the streams', () => {
    expect(played(market.streams())).toEqual(merged);
  });

  it('plays the same however its bytes came', () => {
    for (const pieceBytes of [1, 7, 64]) expect(played(market.streams(pieceBytes))).toEqual(merged);
  });

  it('plays up to an instant and says when it goes on', () => {
    const streams = market.streams();
    expect(played(streams, START_MS + 1)).toEqual(merged.slice(0, 3));
    expect(new Tape(streams, () => undefined).nextMs()).toBe(START_MS + 2);
  });

  it('is not played beyond what it was fed', () => {
    const stream = new TapeStream('trades', 'made.trades.csv', GRID);
    const tape = new Tape([stream], () => undefined);
    expect(tape.covers(0 as EpochMs)).toBe(false);
    expect(() => tape.play(0 as EpochMs)).toThrow('a tape is fed before it is played');
    stream.feed(new TextEncoder().encode(market.text('trades')));
    expect(tape.covers((START_MS + 2) as EpochMs)).toBe(true);
    expect(tape.covers((START_MS + 3) as EpochMs)).toBe(false);
    stream.feed(null);
    expect(tape.covers(Infinity as EpochMs)).toBe(true);
  });
});
