import { instrumentMarkets, recordedFigures, simulatedFigures } from './calibration.js';
import type { MarketFigures } from './market-figures.js';
import type { Report } from './report.js';
import { liveDay } from './simulated-day.js';

const BENCH = 'simulation';
const FULL = { hours: 24, windows: 128 };
const QUICK = { hours: 0.02, windows: 1 };
const SYMBOLS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'XRP/USDT', 'DOGE/USDT'] as const;
const HOUR_S = 3600;
/** The simulated markets are modelled on this day; recordings of others are shown, not compared. */
const MODEL_DAY = '_20240808';

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
    if (!recording.name.includes(MODEL_DAY)) tell(report, recording.name, recorded.figures);
    else compare(report, recording.name, simulatedFigures(instrument, recorded.startMs, windows), recorded.figures);
  }
}

/** One figure: how it is named, in which unit it is, and where it stands. */
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

/** What the market was like on another day: for the reader, who sees how far days lie apart. */
function tell(report: Report, name: string, recorded: MarketFigures): void {
  for (const row of rowsOf(recorded)) report.add({ bench: BENCH, case: name, ...row, rounds: 1 });
}
