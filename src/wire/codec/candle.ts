import type { Candle, CandleInterval } from '../../model/candle.js';
import { sluice } from '../generated/messages.js';
import { integer, time } from './exact.js';
import { unprefixed, WireEnum } from './wire-enum.js';

export const CANDLE_INTERVAL = new WireEnum<CandleInterval, sluice.v1.CandleInterval>(
  'CandleInterval',
  unprefixed('CANDLE_INTERVAL', sluice.v1.CandleInterval),
);

/** The encoder only reads the fields, which have the model's names. */
export function toWireCandle(candle: Candle): sluice.v1.Candle.$Properties {
  return candle;
}

export function fromWireCandle(message: sluice.v1.Candle): Candle {
  return {
    openAtMs: time(message.openAtMs, 'Candle.open_at_ms'),
    open: integer(message.open, 'Candle.open'),
    high: integer(message.high, 'Candle.high'),
    low: integer(message.low, 'Candle.low'),
    close: integer(message.close, 'Candle.close'),
    volume: integer(message.volume, 'Candle.volume'),
  };
}
