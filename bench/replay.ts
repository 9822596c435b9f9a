import type { Instrument } from '../src/model/instrument.js';
import type { EpochMs } from '../src/model/time.js';
import { averageOf } from '../src/analytics/traded-volume.js';
import { MarketRecord } from '../src/replay/market-record.js';
import { isRecordingOf, recordingsIn, type Recording } from '../src/replay/recording.js';
import { TapeFeed } from '../src/replay/tape-feed.js';
import { buildCatalogue } from '../src/venue/listing/index.js';
import { queueModelOf, ReplayVenue } from '../src/venue/replay/index.js';
import { KNOWN_FIGURES, type ReplayFigures } from './replay-figures.js';
import { median, type Report } from './report.js';

const BENCH = 'replay';
const FULL_ROUNDS = 5;
const QUICK_ROUNDS = 1;
const STEP_MS = 100;
const MS_PER_S = 1000;
const PRICE_DECIMALS = 4;
const PRICE_DIGITS = 10;
const UNITS: { readonly [Metric in keyof ReplayFigures]: string } = {
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
  readonly figures: ReplayFigures;
}

/** Every recording, from its packed files through the replayed venue: how fast, and with the figures it is known by. */
export async function replay(report: Report, isQuick: boolean, dataDir: string | undefined): Promise<void> {
  if (dataDir === undefined) throw new Error('replay needs --data DIR, a folder with recordings');
  const { instruments } = buildCatalogue();
  for (const recording of recordingsIn(dataDir)) {
    const instrument = instruments.find((one) => isRecordingOf(recording, one));
    if (instrument === undefined) report.progress(`${recording.name} is of no instrument that is listed`);
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
  for (const metric of Object.keys(UNITS) as (keyof ReplayFigures)[]) {
    const value = figures[metric];
    const expected = known?.[metric];
    if (expected !== undefined && value !== expected) {
      throw new Error(`${recording.name}: ${metric} is ${value} and should be ${expected}`);
    }
    const reference = expected === undefined ? {} : { reference: 'known figure', reference_value: expected };
    report.add({ ...about, metric, value, unit: UNITS[metric], ...reference, rounds: 1 }, PRICE_DIGITS);
  }
}

/** The whole recording, without an order. */
async function play(recording: Recording, instrument: Instrument): Promise<Pass> {
  const startMs = performance.now();
  const feed = new TapeFeed(recording, instrument);
  const market = new MarketRecord();
  const queueModel = queueModelOf('risk-averse', instrument);
  const venue = new ReplayVenue({ instrument, streams: feed.streams, queueModel, observer: market });
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

function figuresOf({ pricePrecision }: Instrument, { mids, trades }: MarketRecord, venue: ReplayVenue): ReplayFigures {
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
