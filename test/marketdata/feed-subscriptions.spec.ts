import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/domain/rejection.js';
import { CANDLE_INTERVALS, feedKey, type MarketFeed } from '../../src/domain/market-feed.js';
import type { ExchangeMode } from '../../src/domain/exchange.js';
import { firstIndexOf, type InstrumentIndex } from '../../src/domain/instrument.js';
import { CACHED_INSTRUMENTS_MAX } from '../../src/domain/limits/process.js';
import type { EpochMs } from '../../src/domain/time.js';
import {
  createFeedSubscriptions,
  FeedSubscriptionsReader,
  FeedSubscriptionsWriter,
} from '../../src/marketdata/feed-subscriptions.js';

const ROWS = 5;
const NOW = (20_000 * 86_400_000 + 12_345_678) as EpochMs;

const feeds: fc.Arbitrary<MarketFeed> = fc.nat(ROWS - 1).chain((row) => {
  const instrument = row as InstrumentIndex;
  return fc.oneof(
    fc.constantFrom('trades' as const, 'mark' as const, 'openInterest' as const).map((kind) => ({ kind, instrument })),
    fc.constantFrom(...CANDLE_INTERVALS).map((interval) => ({ kind: 'candles' as const, instrument, interval })),
  );
});

describe('feed subscriptions', () => {
  it('list the followed feeds and mark the markets that must stay active', () => {
    const steps = fc.array(fc.record({ feed: feeds, isFollowed: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (script) => {
        const memory = createFeedSubscriptions(ROWS);
        const [writer, reader] = [
          new FeedSubscriptionsWriter(memory),
          new FeedSubscriptionsReader(memory, 'simulated'),
        ];
        const twin = new Map<string, MarketFeed>();
        for (const { feed, isFollowed } of script) {
          const { version } = reader;
          if (isFollowed) writer.follow(feed, NOW);
          else writer.unfollow(feed);
          if (isFollowed) twin.set(feedKey(feed), feed);
          else twin.delete(feedKey(feed));
          expect(reader.version).not.toBe(version);
        }
        expect(reader.followed().map(feedKey).toSorted()).toEqual([...twin.keys()].toSorted());
        for (let row = 0; row < ROWS; row += 1) {
          const needsActive = [...twin.values()].some(
            ({ instrument, kind }) => instrument === row && (kind === 'candles' || kind === 'trades'),
          );
          expect(reader.needsActiveMarket(row as InstrumentIndex)).toBe(needsActive);
        }
      }),
    );
  });

  it('store the start of the next candle and advance it', () => {
    const memory = createFeedSubscriptions(ROWS);
    const [writer, reader] = [new FeedSubscriptionsWriter(memory), new FeedSubscriptionsReader(memory, 'simulated')];
    const instrument = 3 as InstrumentIndex;
    writer.follow({ kind: 'candles', instrument, interval: 'SIX_HOUR' }, NOW);
    const openAtMs = 20_000 * 86_400_000;
    expect(reader.nextClosedMs(instrument, 'SIX_HOUR')).toBe(openAtMs);
    const { version } = reader;
    writer.moveOn(instrument, 'SIX_HOUR', openAtMs + 21_600_000);
    expect(new FeedSubscriptionsReader(memory, 'simulated').nextClosedMs(instrument, 'SIX_HOUR')).toBe(
      openAtMs + 21_600_000,
    );
    expect(reader.version).toBe(version);
  });

  it('show a worker the feeds of its own instruments only', () => {
    const memory = createFeedSubscriptions(CACHED_INSTRUMENTS_MAX);
    const writer = new FeedSubscriptionsWriter(memory);
    const instruments = [0, firstIndexOf('live'), firstIndexOf('testnet')] as InstrumentIndex[];
    for (const instrument of instruments) writer.follow({ kind: 'mark', instrument }, NOW);
    const seenBy = (mode: ExchangeMode): number[] =>
      new FeedSubscriptionsReader(memory, mode).followed().map(({ instrument }) => instrument);
    expect([seenBy('simulated'), seenBy('live'), seenBy('testnet')]).toEqual([
      [instruments[0]],
      [instruments[1]],
      [instruments[2]],
    ]);
  });

  it('refuse a number of instruments outside the bounds', () => {
    expect(() => createFeedSubscriptions(0)).toThrow(InvariantViolation);
  });
});
