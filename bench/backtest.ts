import { MarketRecord } from '../src/backtest/backtest-run.js';
import { isRecordingOf, type Recording, recordingsIn } from '../src/backtest/recording.js';
import { RecordingFeed } from '../src/backtest/recording.js';
import { queueModelOf } from '../src/venue/matching/queue-model.js';
import { BacktestVenue } from '../src/backtest/venue/backtest-venue.js';
import type { Instrument } from '../src/domain/instrument.js';
import type { EpochMs } from '../src/domain/time.js';
import { averageOf } from '../src/tca/traded-volume.js';
import { buildCatalogue } from '../src/venue/listing/catalogue.js';
import { median, type Report } from './report.js';

const BENCH = 'replay';
const FULL_ROUNDS = 5;
const QUICK_ROUNDS = 1;
const STEP_MS = 100;
const MS_PER_S = 1000;
const PRICE_DECIMALS = 4;
const PRICE_DIGITS = 10;
const UNITS: { readonly [Metric in keyof BacktestFigures]: string } = {
  vwap: 'USDT',
  arrival_mid: 'USDT',
  last_mid: 'USDT',
  updates: 'count',
  gaps: 'count',
  crossings: 'count',
};
const NO_SINK = { report: () => undefined, market: () => undefined, trade: () => undefined };

interface Pass {
  readonly rowsPerSecond: number;
  readonly figures: BacktestFigures;
}

/** Plays each recording through the backtest venue. Reports the speed and compares the figures with known ones. */
export async function backtest(report: Report, isQuick: boolean, dataDir: string | undefined): Promise<void> {
  if (dataDir === undefined) throw new Error('backtest needs --data DIR, a folder with recordings');
  const { instruments } = buildCatalogue();
  for (const recording of recordingsIn(dataDir)) {
    const instrument = instruments.find((one) => isRecordingOf(recording, one));
    if (instrument === undefined) report.progress(`${recording.name} belongs to no listed instrument`);
    else await measure(report, recording, instrument, isQuick ? QUICK_ROUNDS : FULL_ROUNDS);
  }
}

async function measure(report: Report, recording: Recording, instrument: Instrument, rounds: number): Promise<void> {
  report.progress(recording.name);
  // The first round only warms up.
  const { figures } = await play(recording, instrument);
  const speeds: number[] = [];
  for (let round = 0; round < rounds; round += 1) speeds.push((await play(recording, instrument)).rowsPerSecond);
  const about = { bench: BENCH, case: recording.name };
  report.add({ ...about, metric: 'throughput', value: median(speeds), unit: '1/s', rounds });
  const known = KNOWN_FIGURES.get(recording.name);
  for (const metric of Object.keys(UNITS) as (keyof BacktestFigures)[]) {
    const value = figures[metric];
    const expected = known?.[metric];
    if (expected !== undefined && value !== expected) {
      throw new Error(`${recording.name}: ${metric} is ${value} but must be ${expected}`);
    }
    const reference = expected === undefined ? {} : { reference: 'known figure', reference_value: expected };
    report.add({ ...about, metric, value, unit: UNITS[metric], ...reference, rounds: 1 }, PRICE_DIGITS);
  }
}

/** Plays the whole recording without an order. */
async function play(recording: Recording, instrument: Instrument): Promise<Pass> {
  const startMs = performance.now();
  const feed = new RecordingFeed(recording, instrument);
  const market = new MarketRecord();
  const queueModel = queueModelOf('risk-averse', instrument);
  const venue = new BacktestVenue({ instrument, streams: feed.streams, queueModel, observer: market });
  let nowMs = 0;
  while (nowMs < Infinity) {
    if (!feed.covers(nowMs as EpochMs)) await feed.cover(nowMs as EpochMs);
    venue.advance(nowMs as EpochMs, NO_SINK);
    nowMs = venue.nextWakeMs() + STEP_MS;
  }
  const seconds = (performance.now() - startMs) / MS_PER_S;
  await feed.close();
  return { rowsPerSecond: feed.rowCount / seconds, figures: figuresOf(instrument, market, venue) };
}

function figuresOf(
  { pricePrecision }: Instrument,
  { mids, trades }: MarketRecord,
  venue: BacktestVenue,
): BacktestFigures {
  const price = (ticks: number | null): number => {
    if (ticks === null) throw new Error('the recording has no market');
    return Number((ticks / 10 ** pricePrecision).toFixed(PRICE_DECIMALS));
  };
  const { updateCount, gapCount, crossedCount } = venue.recorded.book;
  return {
    vwap: price(averageOf(trades.between(0, Infinity))),
    arrival_mid: price(mids.at(mids.firstAtMs)),
    last_mid: price(mids.at(mids.lastAtMs)),
    updates: updateCount,
    gaps: gapCount,
    crossings: crossedCount,
  };
}

/** Known figures of a recording: prices in quote units and counts of book events. */
export interface BacktestFigures {
  /** Over all trades of the order book. */
  readonly vwap: number;
  readonly arrival_mid: number;
  readonly last_mid: number;
  readonly updates: number;
  readonly gaps: number;
  readonly crossings: number;
}

/** Computed from the same files with other programs. */
export const KNOWN_FIGURES: ReadonlyMap<string, BacktestFigures> = new Map([
  [
    'binance_spot_BTCUSDT_20240808-09',
    { vwap: 61671.5516, arrival_mid: 61837.635, last_mid: 61602.015, updates: 6493, gaps: 0, crossings: 0 },
  ],
  [
    'binance_usdm_BTCUSDT_20240808',
    { vwap: 61680.9822, arrival_mid: 61800.25, last_mid: 61659.75, updates: 6547, gaps: 0, crossings: 0 },
  ],
  [
    'binance_usdm_BTCUSDT_20230404-05',
    { vwap: 28146.0054, arrival_mid: 28145.15, last_mid: 28140.15, updates: 16110, gaps: 0, crossings: 0 },
  ],
]);
