import type { Report } from '../report.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { EpochMs } from '../../src/domain/time.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../../test/sim/memory-store.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { instrumentMarkets, recordedFigures, simulatedFigures } from './calibration.js';
import type { MarketFigures } from './market-figures.js';

const BENCH = 'simulation';
const FULL = { hours: 24, windows: 128 };
const QUICK = { hours: 0.02, windows: 1 };
const SYMBOLS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'DOGE/USDT'] as const;
/** Markets of the calibration table. */
const TABLE = ['BTC/USDT', 'BTC/USDT:USDT', 'ETH/USDT', 'ETH/USDT:USDT'] as const;
const HOUR_S = 3600;
/** The simulated markets are modelled on this day. Recordings of other days are printed without comparison. */
const MODEL_DAY = '_20240808';
const TABLE_START_MS = Date.UTC(2024, 7, 8, 23, 55);

/**
 * Measures the processor cost of simulated markets. Prints the figures of the simulated markets of TABLE. Also compares
 * the figures of each recording in the folder with those of the simulated market of its instrument, at the same time of
 * many days.
 */
export async function simulation(report: Report, isQuick: boolean, dataDir: string | undefined): Promise<void> {
  const { hours, windows } = isQuick ? QUICK : FULL;
  report.progress(`${hours} hours of ${SYMBOLS.length} markets`);
  const day = liveDay(SYMBOLS, hours);
  const name = `${SYMBOLS.length} markets, ${hours} h`;
  report.add({ bench: BENCH, case: name, metric: 'time', value: day.seconds, unit: 's', rounds: 1 });
  const cpu = day.seconds / (hours * HOUR_S * SYMBOLS.length);
  report.add({ bench: BENCH, case: 'one market at speed 1', metric: 'cpu', value: cpu, unit: 'core', rounds: 1 });
  report.add({ bench: BENCH, case: name, metric: 'trades', value: day.trades, unit: 'count', rounds: 1 });
  for (const symbol of TABLE) {
    report.progress(symbol);
    reportOnly(report, `simulated ${symbol}`, simulatedFigures(simulatedInstrument(symbol), TABLE_START_MS, windows));
  }
  if (dataDir === undefined) return report.progress('no --data DIR: no recordings to compare with');
  for (const { recording, instrument } of instrumentMarkets(dataDir)) {
    report.progress(recording.name);
    const recorded = await recordedFigures(recording, instrument);
    if (!recording.name.includes(MODEL_DAY)) reportOnly(report, recording.name, recorded.figures);
    else compare(report, recording.name, simulatedFigures(instrument, recorded.startMs, windows), recorded.figures);
  }
}

function simulatedInstrument(symbol: string): Instrument {
  const instrument = buildCatalogue().findCanonical('BINANCE', symbol);
  if (instrument === null) throw new Error(`BINANCE lists ${symbol}`);
  return instrument;
}

/** One figure with its name and unit. */
interface Row {
  readonly metric: string;
  readonly unit: string;
  readonly value: number;
}

function rowsOf(figures: MarketFigures): Row[] {
  return [
    { metric: 'spread', unit: 'bps', value: figures.spreadBps },
    { metric: 'depth_5bps', unit: 'base', value: figures.depth5Bps },
    { metric: 'trades', unit: '1/min', value: figures.tradesPerMinute },
    { metric: 'trade_size', unit: 'base', value: figures.tradeSizeMean },
    { metric: 'trade_size_p50', unit: 'base', value: figures.tradeSizeMedian },
    { metric: 'volatility', unit: 'bps', value: figures.volatilityBps },
    ...figures.movesToThinSide.map(({ fromShare, part }) => {
      return { metric: `to_thin_${fromShare * 100}`, unit: 'share', value: part };
    }),
  ];
}

function compare(report: Report, name: string, simulated: MarketFigures, recorded: MarketFigures): void {
  const references = rowsOf(recorded);
  rowsOf(simulated).forEach((row, index) => {
    const reference_value = references[index]!.value;
    const ratio = row.value / reference_value;
    report.add({ bench: BENCH, case: name, ...row, reference: 'recorded', reference_value, ratio, rounds: 1 });
  });
}

/** Prints the figures of a market that is not compared. */
function reportOnly(report: Report, name: string, figures: MarketFigures): void {
  for (const row of rowsOf(figures)) report.add({ bench: BENCH, case: name, ...row, rounds: 1 });
}

const START_MS = Date.UTC(2027, 0, 15) as EpochMs;
/** One turn per second, as at ten times the speed of real time. */
const TURN_MS = 1_000;
const HOUR_MS = 3_600_000;

export interface LiveDay {
  readonly seconds: number;
  /** Trade prints of all markets. */
  readonly trades: number;
}

/** Runs markets of one exchange for hours without a client, as the venue worker does, and measures the time. */
export function liveDay(symbols: readonly string[], hours: number): LiveDay {
  const catalogue = buildCatalogue();
  const watched = new Set(symbols.map((symbol) => catalogue.findCanonical('BINANCE', symbol)?.index));
  const venues = new SimulatedVenues({
    catalogue,
    seed: 1,
    store: new MemoryVenueStore(),
    startMs: START_MS,
    isWatched: (instrument) => watched.has(instrument),
    balanceHome: () => 0,
    onRepeated: () => undefined,
  });
  let trades = 0;
  const sink = { report: () => undefined, market: () => undefined, trade: () => void (trades += 1) };
  const startMs = performance.now();
  for (let passedMs = 0; passedMs <= hours * HOUR_MS; passedMs += TURN_MS) {
    venues.advance((START_MS + passedMs) as EpochMs, sink);
  }
  const seconds = (performance.now() - startMs) / 1_000;
  venues.close();
  return { seconds, trades };
}
