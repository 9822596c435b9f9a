import { instrumentMarkets, recordedFigures, simulatedFigures } from './calibration.js';
import type { MarketFigures } from './market-figures.js';
import type { Report } from './report.js';
import { liveDay } from './simulated-day.js';

const BENCH = 'simulation';
const FULL = { hours: 24, windows: 128 };
const QUICK = { hours: 0.02, windows: 1 };
const SYMBOLS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'DOGE/USDT'] as const;
const HOUR_S = 3600;

/**
 * What it costs to let markets live, and how like recorded ones they are: the figures of each recording in the folder
 * beside those of the simulated market of the same instrument at the same time of many days.
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
  if (dataDir === undefined) return report.progress('no --data DIR: nothing to compare the markets with');
  for (const { recording, instrument } of instrumentMarkets(dataDir)) {
    report.progress(recording.name);
    const recorded = await recordedFigures(recording, instrument);
    const simulated = simulatedFigures(instrument, recorded.startMs, windows);
    compare(report, `${instrument.symbol} as ${recording.name}`, simulated, recorded.figures);
  }
}

function compare(report: Report, name: string, simulated: MarketFigures, recorded: MarketFigures): void {
  const add = (metric: string, unit: string, value: number, reference_value: number): void => {
    const ratio = value / reference_value;
    report.add({
      bench: BENCH,
      case: name,
      metric,
      value,
      unit,
      reference: 'recorded',
      reference_value,
      ratio,
      rounds: 1,
    });
  };
  add('spread', 'bps', simulated.spreadBps, recorded.spreadBps);
  add('depth_5bps', 'base', simulated.depth5Bps, recorded.depth5Bps);
  add('trades_per_minute', '1/min', simulated.tradesPerMinute, recorded.tradesPerMinute);
  add('trade_size', 'base', simulated.tradeSizeMean, recorded.tradeSizeMean);
  add('trade_size_median', 'base', simulated.tradeSizeMedian, recorded.tradeSizeMedian);
  add('volatility_1min', 'bps', simulated.volatilityBps, recorded.volatilityBps);
  simulated.movesToThinSide.forEach(({ fromShare, part }, range) => {
    const metric = `moves_to_thin_side_from_${fromShare * 100}`;
    add(metric, 'share', part, recorded.movesToThinSide[range]!.part);
  });
}
