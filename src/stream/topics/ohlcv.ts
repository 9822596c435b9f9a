import { CANDLE_INTERVAL_MS, type Candle, type CandleInterval } from '../../model/candle.js';
import type { Instrument } from '../../model/instrument.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { marketHead } from './market-head.js';

export interface ShownCandle {
  readonly interval: CandleInterval;
  readonly candle: Candle;
  /** True when its time is over: it will not change again. */
  readonly isClosed: boolean;
}

/** Frame of topic `ohlcv`. The candle holds what was traded from open_time on and before close_time; `last` is its latest price. */
export function ohlcvFrame({ interval, candle, isClosed }: ShownCandle, instrument: Instrument): string {
  const close = formatTicks(candle.close, instrument);
  return (
    `${marketHead('ohlcv', instrument)},"open":${formatTicks(candle.open, instrument)}` +
    `,"high":${formatTicks(candle.high, instrument)},"low":${formatTicks(candle.low, instrument)}` +
    `,"close":${close},"volume":${formatLots(candle.volume, instrument)},"last":${close}` +
    `,"open_time":${candle.openAtMs},"close_time":${candle.openAtMs + CANDLE_INTERVAL_MS[interval]}` +
    `,"interval":"${interval}","closed":${isClosed}}`
  );
}
