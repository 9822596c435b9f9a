import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
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
type Columns = Readonly<Record<keyof typeof COLUMNS, number>>;

/**
 * Reads all candle files of a folder, or of its folder `candles`: CSV with a header, plain or as gzip, candles of at most
 * five minutes. `quoteVolume`: a part of the names of files whose column `volume` counts the quote currency.
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
    const bytes = readFileSync(join(folder, name));
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    const isQuote = quoteVolume !== undefined && name.includes(quoteVolume);
    const bins = binsOf(name.replace(FILE, ''), text, isQuote);
    if (typeof bins === 'string') unread.push({ name, reason: bins });
    else read.push(bins);
  }
  return { read, unread };
}

/** Returns the whole days of a file, or the reason why there is none. */
export function binsOf(name: string, text: string, isQuote: boolean): RecordedBins | string {
  const [header = '', ...rows] = text.trim().split('\n');
  const columns = columnsOf(header);
  if (columns.time < 0) return `no column of time (${COLUMNS.time.join(', ')})`;
  if (columns.volume < 0 && columns.quoteVolume < 0) return 'no column of volume';
  if (columns.high < 0 || columns.low < 0 || columns.close < 0) return 'no columns high, low and close';
  const candles = rows.map((row) => candleOf(row.split(','), columns, isQuote));
  const wrong = candles.findIndex(({ atMs, price, volume }) => !(atMs > 0 && price > 0 && volume >= 0));
  if (wrong >= 0) return `line ${wrong + 2} is no candle: ${rows[wrong]!}`;
  candles.sort((one, other) => one.atMs - other.atMs);
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return 'no candles';
  const fromMs = Math.ceil(first.atMs / DAY_MS) * DAY_MS;
  const days = Math.floor((last.atMs + BIN_MS - fromMs) / DAY_MS);
  if (days < 2) return `${Math.max(0, days)} whole days: one to learn from and one to trade are needed`;
  const gapMs = medianGapMs(candles);
  if (gapMs > BIN_MS) return `candles of ${gapMs / 1000} s: at most ${BIN_MS / 1000} s are needed`;
  return { name, fromMs, days, ...summed(candles, fromMs, days * BINS_PER_DAY) };
}

interface Candle {
  readonly atMs: number;
  /** Mean of high, low and close. */
  readonly price: number;
  /** In coins. */
  readonly volume: number;
}

function columnsOf(header: string): Columns {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return Object.fromEntries(
    Object.entries(COLUMNS).map(([what, known]) => [what, names.findIndex((name) => known.includes(name as never))]),
  ) as unknown as Columns;
}

function candleOf(
  fields: readonly string[],
  { time, high, low, close, ...columns }: Columns,
  isQuote: boolean,
): Candle {
  const price = (Number(fields[high]) + Number(fields[low]) + Number(fields[close])) / 3;
  const byQuote = columns.quoteVolume >= 0 ? columns.quoteVolume : columns.volume;
  const volume = isQuote || columns.volume < 0 ? Number(fields[byQuote]) / price : Number(fields[columns.volume]);
  return { atMs: instantOf(fields[time] ?? ''), price, volume };
}

const MICROSECONDS_FROM = 1e14;
const MILLISECONDS_FROM = 1e11;

/** Seconds, milliseconds or microseconds of the epoch, or a date in UTC. NaN: no instant. */
function instantOf(text: string): number {
  const count = Number(text);
  if (text !== '' && Number.isFinite(count)) {
    if (count >= MICROSECONDS_FROM) return count / 1000;
    return count >= MILLISECONDS_FROM ? count : count * 1000;
  }
  return Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`);
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
