import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/model/assert.js';
import { CANDLE_INTERVALS } from '../../src/model/candle.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { feedKey, type MarketFeed } from '../../src/model/market-feed.js';
import type { EpochMs } from '../../src/model/time.js';
import { createFeedInterest, FeedInterestReader, FeedInterestWriter } from '../../src/wire/feed-interest.js';

const ROWS = 5;
const NOW = (20_000 * 86_400_000 + 12_345_678) as EpochMs;

const feeds: fc.Arbitrary<MarketFeed> = fc.nat(ROWS - 1).chain((row) => {
  const instrument = row as InstrumentIndex;
  return fc.oneof(
    fc.constantFrom('trades' as const, 'mark' as const, 'openInterest' as const).map((kind) => ({ kind, instrument })),
    fc.constantFrom(...CANDLE_INTERVALS).map((interval) => ({ kind: 'candles' as const, instrument, interval })),
  );
});

describe('what the main thread follows', () => {
  it('is what it followed and has not left, and keeps those markets awake whose life it shows', () => {
    const steps = fc.array(fc.record({ feed: feeds, isFollowed: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (script) => {
        const memory = createFeedInterest(ROWS);
        const [writer, reader] = [new FeedInterestWriter(memory), new FeedInterestReader(memory)];
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
          const lively = [...twin.values()].some(
            ({ instrument, kind }) => instrument === row && (kind === 'candles' || kind === 'trades'),
          );
          expect(reader.isLively(row as InstrumentIndex)).toBe(lively);
        }
      }),
    );
  });

  it('says from which candle on, and moves it on', () => {
    const memory = createFeedInterest(ROWS);
    const [writer, reader] = [new FeedInterestWriter(memory), new FeedInterestReader(memory)];
    const instrument = 3 as InstrumentIndex;
    writer.follow({ kind: 'candles', instrument, interval: 'SIX_HOUR' }, NOW);
    const openAtMs = 20_000 * 86_400_000;
    expect(reader.nextClosedMs(instrument, 'SIX_HOUR')).toBe(openAtMs);
    const { version } = reader;
    writer.moveOn(instrument, 'SIX_HOUR', openAtMs + 21_600_000);
    expect(new FeedInterestReader(memory).nextClosedMs(instrument, 'SIX_HOUR')).toBe(openAtMs + 21_600_000);
    expect(reader.version).toBe(version);
  });

  it('is of a bounded number of instruments', () => {
    expect(() => createFeedInterest(0)).toThrow(InvariantViolation);
  });
});
