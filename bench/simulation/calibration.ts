import type { Instrument } from '../../src/domain/instrument.js';
import type { Side } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import { isRecordingOf, recordingsIn, type Recording } from '../../src/backtest/recording.js';
import { RecordingFeed } from '../../src/backtest/recording.js';
import { termsOf } from '../../src/sim/account/trading-terms.js';
import { FairMarket } from '../../src/sim/market/fair-market.js';
import { InstrumentMarket } from '../../src/sim/market/instrument-market.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { RecordedMarket } from '../../src/backtest/venue/backtest-venue.js';
import { MarketWatch, type MarketFigures } from './market-figures.js';

const SEED = 1;
const DAY_MS = 24 * 3_600_000;
/** Length of each simulated window, on its own day, and of the time before it. */
const WINDOW_MS = 5 * 60_000;
const WARM_UP_MS = 20_000;
const LOOK_MS = 2;
const FEED_STEP_MS = 100;
const LEVELS_MAX = 200;
const SIDES: readonly Side[] = ['BUY', 'SELL'];

/** Returns the recordings in a folder whose instruments are also simulated. */
export function instrumentMarkets(dataDir: string): { recording: Recording; instrument: Instrument }[] {
  const { instruments } = buildCatalogue();
  return recordingsIn(dataDir).flatMap((recording) => {
    const instrument = instruments.find((one) => isRecordingOf(recording, one));
    return instrument === undefined ? [] : [{ recording, instrument }];
  });
}

/** Returns the figures of a recorded market and the start of its recording. */
export async function recordedFigures(
  recording: Recording,
  instrument: Instrument,
): Promise<{ figures: MarketFigures; startMs: number }> {
  const feed = new RecordingFeed(recording, instrument);
  const lot = 10 ** -instrument.quantityPrecision;
  const watch = new MarketWatch((distance) => {
    const { shown } = market;
    const mid = (shown.best('BUY') + shown.best('SELL')) / 2;
    let lots = 0;
    for (const side of SIDES) {
      shown.walk(side, (price, quantity) => {
        if (Math.abs(price / mid - 1) > distance) return false;
        lots += quantity;
        return true;
      });
    }
    return (lots * lot) / SIDES.length;
  });
  const market = new RecordedMarket(feed.streams, {
    onBook: (atMs) => {
      const { shown } = market;
      const [bid, ask] = [shown.best('BUY'), shown.best('SELL')];
      const bidQuantity = shown.quantityAt('BUY', bid) * lot;
      if (bid > 0) watch.seeTouch({ bid, ask, bidQuantity, askQuantity: shown.quantityAt('SELL', ask) * lot }, atMs);
    },
    onTrade: (price, quantity, side, atMs) => watch.seeTrade(side, price, quantity * lot, atMs),
  });
  let startMs: number | null = null;
  for (let nowMs = 0; nowMs < Infinity; nowMs = market.player.nextMs() + FEED_STEP_MS) {
    await feed.cover(nowMs as EpochMs);
    market.play(nowMs as EpochMs);
    startMs ??= nowMs === 0 ? null : nowMs;
  }
  await feed.close();
  return { figures: watch.figures(), startMs: startMs ?? 0 };
}

/** Returns the figures of the simulated market at the same time of many days. */
export function simulatedFigures(instrument: Instrument, startMs: number, windows: number): MarketFigures {
  const lot = 10 ** -instrument.quantityPrecision;
  const [prices, quantities] = [new Float64Array(LEVELS_MAX), new Float64Array(LEVELS_MAX)];
  const watch = new MarketWatch((distance) => {
    const mid = (market.book.bestBid() + market.book.bestAsk()) / 2;
    let lots = 0;
    for (const side of SIDES) {
      const count = market.book.depth(side, prices, quantities, LEVELS_MAX);
      for (let rank = 0; rank < count && Math.abs(prices[rank]! / mid - 1) <= distance; rank += 1) {
        lots += quantities[rank]!;
      }
    }
    return (lots * lot) / SIDES.length;
  });
  let isWatched = false;
  const market = new InstrumentMarket({
    terms: termsOf(instrument),
    fairMarket: new FairMarket(SEED),
    seed: SEED,
    startMs: startMs as EpochMs,
    memory: null,
    listener: {
      filled: () => undefined,
      prevented: () => undefined,
      printed: ({ takerSide, price, quantity, atMs }) => {
        if (isWatched) watch.seeTrade(takerSide, price, quantity * lot, atMs);
      },
    },
  });
  market.open();
  for (let window = 1; window <= windows; window += 1) {
    const fromMs = startMs + window * DAY_MS;
    isWatched = false;
    market.catchUp((fromMs - WARM_UP_MS) as EpochMs);
    market.catchUp(fromMs as EpochMs);
    isWatched = true;
    watch.interrupt();
    for (let nowMs = fromMs; nowMs < fromMs + WINDOW_MS; nowMs += LOOK_MS) {
      market.catchUp(nowMs as EpochMs);
      const { bid, ask, bidQuantity, askQuantity } = market.snapshot();
      watch.seeTouch({ bid, ask, bidQuantity: bidQuantity * lot, askQuantity: askQuantity * lot }, nowMs);
    }
  }
  return watch.figures();
}
