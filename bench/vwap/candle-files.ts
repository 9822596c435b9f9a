import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type ColumnKind,
  FileError,
  type RowFault,
  type Table,
  type TableColumn,
} from '../../src/backtest/table/columns.js';
import { CsvReader, headerNames } from '../../src/backtest/table/csv-reader.js';
import { CANDLE_INTERVAL_MS } from '../../src/domain/market-feed.js';
import { BINS_PER_DAY } from '../../src/strategy/volume/profile.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const DAY_MS = CANDLE_INTERVAL_MS.ONE_DAY;
/** Volumes are whole lots of this fraction of a coin. */
const LOTS_PER_UNIT = 100_000;

/** Whole days of one market in bins of five minutes, from midnight UTC. */
export interface RecordedBins {
  /** Name of the file. */
  readonly name: string;
  readonly fromMs: number;
  readonly days: number;
  /** Lots traded in each bin. */
  readonly volumes: Float64Array;
  /** Volume-weighted average price of each bin; the last known one when nothing was traded. */
  readonly prices: Float64Array;
}

/** A file that cannot be read, and why. */
export interface UnreadFile {
  readonly name: string;
  readonly reason: string;
}

const FILE = /\.csv(\.gz)?$/;
/** Names of columns in files of exchanges and collectors. */
const COLUMNS = {
  time: ['ts_ms', 'open_time', 'timestamp', 'time', 'date'],
  high: ['high'],
  low: ['low'],
  close: ['close'],
  volume: ['volume', 'base_volume', 'vol'],
  quoteVolume: ['quote_volume', 'quote_asset_volume', 'turnover'],
} as const;
const PRICE: ColumnKind = { kind: 'number', min: Number.MIN_VALUE, max: Number.MAX_VALUE };
const AMOUNT: ColumnKind = { kind: 'number', min: 0, max: Number.MAX_VALUE };
/** Cells of a candle. */
const [TIME, HIGH, LOW, CLOSE, VOLUME] = [0, 1, 2, 3, 4];

/**
 * Reads all candle files of a folder, or of its folder `candles`: CSV with a header, plain or as gzip, candles of at
 * most five minutes. `quoteVolume`: a part of the names of files whose column `volume` counts the quote currency.
 */
export function readCandleFiles(
  dataDir: string,
  quoteVolume: string | undefined,
): { readonly read: readonly RecordedBins[]; readonly unread: readonly UnreadFile[] } {
  const inside = join(dataDir, 'candles');
  const folder = existsSync(inside) ? inside : dataDir;
  const [read, unread]: [RecordedBins[], UnreadFile[]] = [[], []];
  for (const name of readdirSync(folder)
    .filter((entry) => FILE.test(entry))
    .toSorted()) {
    const isQuote = quoteVolume !== undefined && name.includes(quoteVolume);
    const bytes = unpacked(join(folder, name));
    const bins = typeof bytes === 'string' ? bytes : binsOf(name, bytes, isQuote);
    if (typeof bins === 'string') unread.push({ name, reason: bins });
    else read.push(bins);
  }
  return { read, unread };
}

/** The bytes of a file, or the reason why it cannot be unpacked. */
function unpacked(path: string): Uint8Array | string {
  const bytes = readFileSync(path);
  try {
    return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  } catch (error) {
    return `${path}: ${(error as Error).message}`;
  }
}

/** Returns the whole days of a file, or the reason why there is none: for a damaged file with line and column. */
export function binsOf(file: string, bytes: Uint8Array, isQuote: boolean): RecordedBins | string {
  const candles = candlesIn(file, bytes, isQuote);
  if (typeof candles === 'string') return candles;
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return 'no candles';
  const fromMs = Math.ceil(first.atMs / DAY_MS) * DAY_MS;
  const days = Math.floor((last.atMs + BIN_MS - fromMs) / DAY_MS);
  if (days < 2) return `${Math.max(0, days)} whole days: one to learn from and one to trade are needed`;
  const gapMs = medianGapMs(candles);
  if (gapMs > BIN_MS) return `candles of ${gapMs / 1000} s: at most ${BIN_MS / 1000} s are needed`;
  return { name: file.replace(FILE, ''), fromMs, days, ...summed(candles, fromMs, days * BINS_PER_DAY) };
}

interface Candle {
  readonly atMs: number;
  /** Mean of high, low and close. */
  readonly price: number;
  /** In coins. */
  readonly volume: number;
}

function candlesIn(file: string, bytes: Uint8Array, isQuote: boolean): readonly Candle[] | string {
  const names = headerNames(bytes);
  const nameOf = (what: keyof typeof COLUMNS): string | null =>
    names.find((name) => COLUMNS[what].includes(name.trim().toLowerCase() as never)) ?? null;
  const [time, high, low, close] = [nameOf('time'), nameOf('high'), nameOf('low'), nameOf('close')];
  if (time === null) return `no column of time (${COLUMNS.time.join(', ')})`;
  const byQuote = nameOf('quoteVolume') ?? nameOf('volume');
  const byCoin = isQuote ? null : nameOf('volume');
  const volume = byCoin ?? byQuote;
  if (volume === null) return 'no column of volume';
  if (high === null || low === null || close === null) return 'no columns high, low and close';
  const reader = new CsvReader(file, candleTable([time, high, low, close, volume]));
  try {
    reader.push(bytes);
    reader.finish();
  } catch (error) {
    if (error instanceof FileError) return error.message;
    throw error;
  }
  const { rows } = reader;
  return Array.from({ length: rows.count }, (_, row) => {
    const price = (rows.at(row, HIGH) + rows.at(row, LOW) + rows.at(row, CLOSE)) / 3;
    const traded = rows.at(row, VOLUME);
    return { atMs: rows.at(row, TIME), price, volume: byCoin === null ? traded / price : traded };
  });
}

/**
 * The declared format of candles, in the order of the cells. Their times rise. A missing candle is legal, because
 * exchanges write none for a time without trades; a repeated one is not.
 */
function candleTable([time, high, low, close, volume]: readonly [string, string, string, string, string]): Table {
  const lowAboveHigh: RowFault = { column: low, what: `is above ${high}` };
  const closeOutside: RowFault = { column: close, what: `is not between ${low} and ${high}` };
  const columns: readonly TableColumn[] = [
    { name: time, values: { kind: 'time' }, order: 'distinct' },
    ...[high, low, close].map((name) => ({ name, values: PRICE })),
    { name: volume, values: AMOUNT },
  ];
  return {
    columns,
    check: (row) => {
      if (row[LOW]! > row[HIGH]!) return lowAboveHigh;
      return row[CLOSE]! < row[LOW]! || row[CLOSE]! > row[HIGH]! ? closeOutside : null;
    },
  };
}

function medianGapMs(candles: readonly Candle[]): number {
  const gaps = candles.slice(1).map(({ atMs }, index) => atMs - candles[index]!.atMs);
  return gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
}

function summed(candles: readonly Candle[], fromMs: number, count: number): Pick<RecordedBins, 'volumes' | 'prices'> {
  const [volumes, prices] = [new Float64Array(count), new Float64Array(count)];
  for (const { atMs, price, volume } of candles) {
    const bin = Math.floor((atMs - fromMs) / BIN_MS);
    if (bin < 0 || bin >= count) continue;
    const lots = Math.round(volume * LOTS_PER_UNIT);
    volumes[bin]! += lots;
    prices[bin]! += lots * price;
  }
  let lastPrice = candles[0]?.price ?? 0;
  for (let bin = 0; bin < count; bin += 1) {
    if (volumes[bin]! > 0) lastPrice = prices[bin]! / volumes[bin]!;
    prices[bin] = lastPrice;
  }
  return { volumes, prices };
}
