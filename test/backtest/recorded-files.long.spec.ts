import { expect, it } from 'vitest';
import { readCandleFiles } from '../../bench/vwap/candle-files.js';
import { RecordingFeed, isRecordingOf, recordingsIn } from '../../src/backtest/recording.js';
import { RecordedMarket } from '../../src/backtest/venue/backtest-venue.js';
import type { EpochMs } from '../../src/domain/time.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { recordedData } from '../recorded-data.js';

const FOREVER = Infinity as EpochMs;
const IGNORED = { onBook: () => undefined, onTrade: () => undefined };

it.each(recordingsIn(recordedData()))('$name is as declared to its end', async (recording) => {
  const instrument = buildCatalogue().instruments.find((one) => isRecordingOf(recording, one));
  const feed = new RecordingFeed(recording, instrument!);
  await feed.cover(FOREVER);
  const market = new RecordedMarket(feed.streams, IGNORED);
  market.play(FOREVER);
  market.refuseDamage(FOREVER);
  const { updateCount, gapCount, crossedCount } = market.book;
  expect(updateCount).toBeGreaterThan(1000);
  expect([gapCount, crossedCount]).toEqual([0, 0]);
});

it('recorded candles are as declared', () => {
  const { read, unread } = readCandleFiles(recordedData(), 'ftx');
  expect(read.map(({ name }) => name)).toContain('ftx_BTC-PERP_1m_20211231-20220201');
  expect(unread.map(({ reason }) => reason).filter((reason) => !/^\d whole days: /.test(reason))).toEqual([]);
});
