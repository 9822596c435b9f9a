import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { CANDLE_INTERVAL_MS } from '../src/model/candle.js';
import { BINS_PER_DAY } from '../src/strategy/volume-shape.js';

const FILE = join('candles', 'ftx_BTC-PERP_1m_20211231-20220201.csv.gz');
const FROM_MS = Date.UTC(2022, 0, 1);
const DAYS = 31;
const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
/** A lot is so small a part of a coin: volumes are whole numbers of lots. */
const LOTS_PER_UNIT = 100_000;

/** A recorded month in bins of five minutes, from midnight. */
export interface RecordedBins {
  readonly fromMs: number;
  /** Lots traded in each bin. */
  readonly volumes: Float64Array;
  /** Volume-weighted average price of each bin. */
  readonly prices: Float64Array;
}

/** The month of a perpetual future in minutes: its rows tell high, low, close and turnover in quote currency. */
export function recordedBins(dataDir: string): RecordedBins {
  const volumes = new Float64Array(DAYS * BINS_PER_DAY);
  const turnovers = new Float64Array(volumes.length);
  const [, ...rows] = gunzipSync(readFileSync(join(dataDir, FILE)))
    .toString()
    .trim()
    .split('\n');
  for (const row of rows) {
    const [time = '', , high, low, close, turnover] = row.split(',');
    const bin = Math.floor((Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`) - FROM_MS) / BIN_MS);
    if (bin < 0 || bin >= volumes.length) continue;
    const price = (Number(high) + Number(low) + Number(close)) / 3;
    volumes[bin]! += Math.round((Number(turnover) / price) * LOTS_PER_UNIT);
    turnovers[bin]! += Number(turnover) * LOTS_PER_UNIT;
  }
  return { fromMs: FROM_MS, volumes, prices: turnovers.map((turnover, bin) => turnover / volumes[bin]!) };
}
